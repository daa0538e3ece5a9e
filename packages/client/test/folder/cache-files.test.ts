import { existsSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CacheFiles, removeCacheFile } from '../../src/folder/cache-files.ts';
import { replaceFileSync } from '../../src/replace-file.ts';
import { makeFolder } from './folders.ts';

interface Names {
  names: readonly string[];
}

/** Creates the cache files of a program, and counts how many it parses. */
function createNameFiles(version = 1) {
  const parsed = { count: 0 };
  const files = new CacheFiles<Names>({
    version,
    parse({ names }) {
      parsed.count += 1;
      return Array.isArray(names) ? { names } : null;
    },
    fieldsOf: ({ names }) => ({ names }),
  });
  return { files, parsed };
}

const makePath = () => join(makeFolder(), 'cache', 'names.json');

describe('CacheFiles', () => {
  test('returns what another program has written, and parses it once until the file is replaced', () => {
    const path = makePath();
    const [{ files, parsed }, { files: others }] = [createNameFiles(), createNameFiles()];
    others.write(path, { names: ['a'] });
    expect([files.read(path), files.read(path)]).toEqual([{ names: ['a'] }, { names: ['a'] }]);
    expect(parsed.count).toBe(1);
    others.write(path, { names: ['b'] });
    expect(files.read(path)).toEqual({ names: ['b'] });
    expect(parsed.count).toBe(2);
  });

  test('does not parse what it has written itself', () => {
    const path = makePath();
    const { files, parsed } = createNameFiles();
    files.write(path, { names: ['a'] });
    expect(files.read(path)).toEqual({ names: ['a'] });
    expect(parsed.count).toBe(0);
    expect(createNameFiles().files.read(path)).toEqual({ names: ['a'] });
  });

  test('returns the value of the given path when several files are used in turns', () => {
    const [first, second] = [makePath(), makePath()];
    const { files } = createNameFiles();
    files.write(first, { names: ['first'] });
    files.write(second, { names: ['second'] });
    expect([files.read(first), files.read(second), files.read(first)].map((value) => value?.names)).toEqual([
      ['first'],
      ['second'],
      ['first'],
    ]);
  });

  test.each<[string, (path: string) => void]>([
    ['was removed', removeCacheFile],
    ['is no JSON', (path) => replaceFileSync(path, '{')],
    ['is not an object', (path) => replaceFileSync(path, 'null')],
    ['has other fields', (path) => replaceFileSync(path, '{"version":1,"names":"a"}')],
    ['has another version', (path) => createNameFiles(2).files.write(path, { names: ['a'] })],
  ])('returns null for a file that %s', (_, change) => {
    const path = makePath();
    const { files } = createNameFiles();
    files.write(path, { names: ['a'] });
    change(path);
    expect(files.read(path)).toBeNull();
  });

  test('keeps nothing that could not be written', () => {
    const folder = makeFolder({ cache: 'a file where the folder should be' });
    const path = join(folder, 'cache', 'names.json');
    const { files } = createNameFiles();
    files.write(path, { names: ['a'] });
    expect(files.read(path)).toBeNull();
    rmSync(join(folder, 'cache'));
    files.write(path, { names: ['b'] });
    expect(existsSync(path)).toBe(true);
    expect(files.read(path)).toEqual({ names: ['b'] });
  });

  test('parses a file of more than 8 MiB each time', () => {
    const path = makePath();
    const { files, parsed } = createNameFiles();
    const names = Array.from({ length: 9 }, () => 'a'.repeat(1024 ** 2));
    files.write(path, { names });
    expect(statSync(path).size).toBeGreaterThan(8 * 1024 ** 2);
    expect([files.read(path), files.read(path)]).toEqual([{ names }, { names }]);
    expect(parsed.count).toBe(2);
  });
});
