import { mkdtemp, readdir, readlink, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createOpenFiles, type OpenFiles } from '../../src/storage/open-files.ts';

let folder: string;
let files: OpenFiles;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'berth-files-'));
  files = createOpenFiles();
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const fileOf = (name: string) => join(folder, name);

/** Counts the descriptors of this process for files of the folder. */
async function openNow(): Promise<number> {
  const descriptors = await readdir('/proc/self/fd');
  const targets = await Promise.all(descriptors.map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')));
  return targets.filter((target) => target.startsWith(folder)).length;
}

async function read(name: string, length = 5): Promise<string> {
  const file = await files.use(fileOf(name));
  try {
    const bytes = Buffer.alloc(length);
    await file.read(bytes, 0);
    return bytes.toString();
  } finally {
    file.release();
  }
}

describe.runIf(process.platform === 'linux')('the cache of open files', () => {
  it('opens a file once for any number of users', async () => {
    await writeFile(fileOf('a'), 'hello');
    expect(await Promise.all(Array.from({ length: 20 }, () => read('a')))).toEqual(Array(20).fill('hello'));
    expect(await read('a')).toBe('hello');
    expect(await openNow()).toBe(1);
  });

  it('closes a file when it is forgotten, or after its last reader if it is in use', async () => {
    await writeFile(fileOf('a'), 'hello');
    const file = await files.use(fileOf('a'));
    files.forget(fileOf('a'));
    await rm(fileOf('a'));
    const bytes = Buffer.alloc(5);
    await file.read(bytes, 0);
    expect(bytes.toString()).toBe('hello');
    await expect(files.use(fileOf('a'))).rejects.toMatchObject({ code: 'ENOENT' });
    file.release();
    await expect.poll(openNow).toBe(0);
  });

  it('keeps at most 128 files open, and closes the least recently used first', async () => {
    const names = Array.from({ length: 140 }, (_, n) => `file-${n}`);
    for (const name of names) {
      await writeFile(fileOf(name), 'hello');
      await read(name);
      await read(names[0]!);
    }
    await expect.poll(openNow).toBe(128);
    await rm(fileOf(names[0]!));
    expect(await read(names[0]!)).toBe('hello');
  });

  it('fails for a missing file, and succeeds once the file exists', async () => {
    await expect(files.use(fileOf('later'))).rejects.toMatchObject({ code: 'ENOENT' });
    await writeFile(fileOf('later'), 'hello');
    expect(await read('later')).toBe('hello');
  });

  it('fails if a file is too short', async () => {
    await writeFile(fileOf('a'), 'hello');
    await expect(read('a', 6)).rejects.toThrow('ends before byte 6');
  });
});
