import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDiskPacks } from '../../src/storage/disk-packs.ts';
import { describePackStore } from './pack-store-suite.ts';

describePackStore('a disk', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'berth-packs-'));
  return { store: await openDiskPacks(join(dir, 'new', 'packs')), close: () => rm(dir, { recursive: true }) };
});

describe('packs on a disk', () => {
  let dir: string;
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'berth-packs-'));
  });
  afterAll(() => rm(dir, { recursive: true }));

  it('T1: are files named only by their ids, and other users cannot read them', async () => {
    const root = join(dir, 'modes');
    const store = await openDiskPacks(root);
    const file = await store.create('ab0123456789');
    await file.write(Buffer.from('bytes'), 0);
    await file.seal(5);
    expect(await readFile(join(root, 'a', 'ab0123456789.pack'), 'utf8')).toBe('bytes');
    expect((await stat(join(root, 'a', 'ab0123456789.pack'))).mode & 0o777).toBe(0o600);
    for (const folder of [root, join(root, 'a'), join(root, 'f')])
      expect((await stat(folder)).mode & 0o777).toBe(0o700);
    expect(await readdir(root)).toHaveLength(16);
  });

  it('are found again by a store that is opened later, which ignores other files', async () => {
    const root = join(dir, 'again');
    const firstStore = await openDiskPacks(root);
    await (await firstStore.create('cd01')).seal(0);
    await writeFile(join(root, 'c', 'note.txt'), '');
    const secondStore = await openDiskPacks(root);
    expect(await Array.fromAsync(secondStore.list())).toEqual(['cd01']);
    await expect(secondStore.create('cd01')).rejects.toMatchObject({ code: 'EEXIST' });
  });

  it('cannot be opened if the root is below a file', async () => {
    await writeFile(join(dir, 'file'), '');
    await expect(openDiskPacks(join(dir, 'file', 'packs'))).rejects.toMatchObject({ code: 'ENOTDIR' });
  });
});
