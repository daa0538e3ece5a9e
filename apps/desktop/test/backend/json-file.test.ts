import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { openJsonFile } from '../../src/main/storage/json-file.ts';
import { makeHome, writeContents } from '../harness/app/folders.ts';

const schema = z.object({ count: z.int() });

const makePath = () => join(makeHome(), 'data', 'count.json');

const openCount = (path: string) => openJsonFile({ path, schema, initial: { count: 0 } });

const readCount = (path: string) => (JSON.parse(readFileSync(path, 'utf8')) as { count: number }).count;

describe('a JSON file (desktop §2)', () => {
  it('keeps changes until it is opened again, and only its owner can read it', async () => {
    const path = makePath();
    const file = await openCount(path);
    expect(file.value()).toEqual({ count: 0 });
    await file.change(({ count }) => ({ count: count + 1 }));

    expect((await openCount(path)).value()).toEqual({ count: 1 });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(join(path, '..')).mode & 0o777).toBe(0o700);
  });

  it('returns the newest value immediately, and has it on disk when the change resolves', async () => {
    const path = makePath();
    const file = await openCount(path);
    const changes = [];
    for (let count = 1; count <= 50; count += 1) {
      changes.push(file.change(() => ({ count })).then(() => expect(readCount(path)).toBeGreaterThanOrEqual(count)));
      expect(file.value()).toEqual({ count });
    }
    await Promise.all(changes);
    expect(readCount(path)).toBe(50);
    expect(readdirSync(join(path, '..'))).toEqual(['count.json']);
  });

  it('rejects and leaves no partial file if a write fails, and the next change writes the value', async () => {
    const path = makePath();
    const file = await openCount(path);
    await file.change(() => ({ count: 1 }));
    rmSync(path);
    mkdirSync(join(path, 'in-the-way'), { recursive: true });
    await expect(file.change(() => ({ count: 2 }))).rejects.toThrow();
    expect(file.value()).toEqual({ count: 2 });
    expect(readdirSync(join(path, '..'))).toEqual(['count.json']);

    rmSync(path, { recursive: true });
    await file.change((value) => value);
    expect(readCount(path)).toBe(2);
  });

  it.skipIf(process.platform === 'win32')(
    'keeps the old content if only a part of the new one fits on the disk',
    () => {
      const home = makeHome();
      const path = join(home, 'count.json');
      writeContents(home, { 'count.json': 'old' });
      const program = `
      import { replaceFile } from '${import.meta.resolve('@berth/client/replace-file')}';
      process.on('SIGXFSZ', () => {});
      const written = replaceFile(process.argv[1], 'x'.repeat(1_000_000));
      console.log(await written.then(() => 'written', ({ code }) => code));`;
      // Like a full disk, a limit on the size of files cuts a write short before it fails one.
      const shell = [
        '-c',
        'ulimit -f 64; exec "$0" --input-type=module --eval "$1" "$2"',
        process.execPath,
        program,
        path,
      ];
      expect(spawnSync('sh', shell, { encoding: 'utf8' }).stdout.trim()).toBe('EFBIG');
      expect([readdirSync(home), readFileSync(path, 'utf8')]).toEqual([['count.json'], 'old']);
    },
  );

  it.each([
    ['half written', '{"count":'],
    ['of another shape', '{"count":"three"}'],
    ['empty', ''],
  ])('sets a file aside that is %s, reports it, and starts with the initial value', async (_what, text) => {
    const path = makePath();
    mkdirSync(join(path, '..'));
    writeFileSync(path, text);
    const asides: string[][] = [];
    const onDamaged = (...aside: string[]) => void asides.push(aside);
    const file = await openJsonFile({ path, schema, initial: { count: 0 }, onDamaged });
    expect(file.value()).toEqual({ count: 0 });
    expect(asides).toEqual([[path, `${path}.damaged`]]);
    expect(readFileSync(`${path}.damaged`, 'utf8')).toBe(text);
    await file.change(() => ({ count: 7 }));
    expect(readCount(path)).toBe(7);
  });

  it('does not replace an existing file that cannot be read', async () => {
    const path = makePath();
    mkdirSync(path, { recursive: true });
    await expect(openCount(path)).rejects.toThrow('EISDIR');
  });
});
