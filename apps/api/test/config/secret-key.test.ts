import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deriveKeys, loadSecretKey } from '../../src/config/secret-key.ts';

let parentFolder: string;
const inFolder = (dataDir: string) => ({ secretKey: null, dataDir, objectStore: null });
beforeAll(async () => {
  parentFolder = await mkdtemp(join(tmpdir(), 'berth-secret-'));
});
afterAll(() => rm(parentFolder, { recursive: true }));

/** Returns the secret key that another process loads from a folder, as hex. */
async function loadInOtherProcess(dir: string): Promise<string> {
  const module = new URL('../../src/config/secret-key.ts', import.meta.url).href;
  const script = `import { loadSecretKey } from '${module}'; console.log((await loadSecretKey({ secretKey: null, dataDir: process.argv[1], objectStore: null })).toString('hex'))`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script, dir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [output] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  return output.trim();
}

describe('loadSecretKey', () => {
  it('api §10: creates 32 random bytes once, in a file that only its owner can read', async () => {
    const dir = join(parentFolder, 'made', 'nested');
    const key = await loadSecretKey(inFolder(dir));
    expect(key).toHaveLength(32);
    expect(await loadSecretKey(inFolder(dir))).toEqual(key);
    expect(await readdir(dir)).toEqual(['secret-key']);
    expect((await stat(join(dir, 'secret-key'))).mode & 0o777).toBe(0o600);
    expect(await loadSecretKey(inFolder(join(parentFolder, 'other')))).not.toEqual(key);
  });

  it('returns the same key to all processes that start at the same time', async () => {
    const dir = join(parentFolder, 'together');
    const ownKeys = Array.from({ length: 20 }, async () => (await loadSecretKey(inFolder(dir))).toString('hex'));
    const keys = await Promise.all([...ownKeys, loadInOtherProcess(dir), loadInOtherProcess(dir)]);
    expect(new Set(keys).size).toBe(1);
    expect(keys[0]).toMatch(/^[0-9a-f]{64}$/);
    expect(await readdir(dir)).toEqual(['secret-key']);
  });

  it.each(['', 'hello', '8f1c'])('rejects a file that contains %j, and does not change the file', async (content) => {
    const dir = await mkdtemp(join(parentFolder, 'bad-'));
    const file = join(dir, 'secret-key');
    await writeFile(file, content);
    await expect(loadSecretKey(inFolder(dir))).rejects.toThrow(`${file} must contain 64 hex digits; restore it`);
    expect(await readFile(file, 'utf8')).toBe(content);
  });
});

describe('deriveKeys', () => {
  it('security §7: derives a different key of 32 bytes for each purpose, always the same from the same secret', () => {
    const secret = Buffer.alloc(32, 7);
    const keys = Object.values(deriveKeys(secret)) as Buffer[];
    for (const key of keys) expect(key).toHaveLength(32);
    expect(new Set([secret, ...keys].map((key) => key.toString('hex'))).size).toBe(keys.length + 1);
    expect(deriveKeys(Buffer.alloc(32, 7))).toEqual(deriveKeys(secret));
    expect(deriveKeys(Buffer.alloc(32, 8)).cursor).not.toEqual(deriveKeys(secret).cursor);
  });

  it('security §7: derives the same keys in every version of the program, by HKDF-SHA-256', () => {
    expect(deriveKeys(Buffer.alloc(32, 7)).cursor.toString('hex')).toBe(
      '520d7df91ff6a636633b167cca6916e2de0b9fd128bb178aa3b4fc5a7c8e0d7c',
    );
  });
});
