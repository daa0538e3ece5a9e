import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deriveKeys, loadSecretKey } from '../../src/config/secret-key.ts';

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'berth-secret-'));
});
afterAll(() => rm(root, { recursive: true }));

/** The secret that another process gets for a folder, as hex. */
async function keptElsewhere(dir: string): Promise<string> {
  const module = new URL('../../src/config/secret-key.ts', import.meta.url).href;
  const script = `import { loadSecretKey } from '${module}'; console.log((await loadSecretKey(process.argv[1])).toString('hex'))`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script, dir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [output] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  return output.trim();
}

describe('loadSecretKey', () => {
  it('api §10: creates 32 random bytes once and stores them, readable only by their owner', async () => {
    const dir = join(root, 'made', 'nested');
    const key = await loadSecretKey(dir);
    expect(key).toHaveLength(32);
    expect(await loadSecretKey(dir)).toEqual(key);
    expect(await readdir(dir)).toEqual(['secret-key']);
    expect((await stat(join(dir, 'secret-key'))).mode & 0o777).toBe(0o600);
    expect(await loadSecretKey(join(root, 'other'))).not.toEqual(key);
  });

  it('returns the same key to all processes that start at the same time', async () => {
    const dir = join(root, 'together');
    const here = Array.from({ length: 20 }, async () => (await loadSecretKey(dir)).toString('hex'));
    const keys = await Promise.all([...here, keptElsewhere(dir), keptElsewhere(dir)]);
    expect(new Set(keys).size).toBe(1);
    expect(keys[0]).toMatch(/^[0-9a-f]{64}$/);
    expect(await readdir(dir)).toEqual(['secret-key']);
  });

  it.each(['', 'hello', '8f1c'])('rejects a file that contains %j, and leaves it', async (content) => {
    const dir = await mkdtemp(join(root, 'bad-'));
    const file = join(dir, 'secret-key');
    await writeFile(file, content);
    await expect(loadSecretKey(dir)).rejects.toThrow(`${file} must contain 64 hex digits; restore it`);
    expect(await readFile(file, 'utf8')).toBe(content);
  });
});

describe('deriveKeys', () => {
  it('security §7: gives every purpose its own 32 bytes, the same for the same secret', () => {
    const secret = Buffer.alloc(32, 7);
    const keys = Object.values(deriveKeys(secret)) as Buffer[];
    for (const key of keys) expect(key).toHaveLength(32);
    expect(new Set([secret, ...keys].map((key) => key.toString('hex'))).size).toBe(keys.length + 1);
    expect(deriveKeys(Buffer.alloc(32, 7))).toEqual(deriveKeys(secret));
    expect(deriveKeys(Buffer.alloc(32, 8)).cursor).not.toEqual(deriveKeys(secret).cursor);
  });

  it('security §7: is HKDF-SHA-256, so that keys never change', () => {
    expect(deriveKeys(Buffer.alloc(32, 7)).cursor.toString('hex')).toBe(
      '520d7df91ff6a636633b167cca6916e2de0b9fd128bb178aa3b4fc5a7c8e0d7c',
    );
  });
});
