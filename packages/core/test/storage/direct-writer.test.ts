import { randomFillSync } from 'node:crypto';
import { mkdir, mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { alignedBlocks } from '../../src/storage/aligned-blocks.ts';
import { openDirectWriter } from '../../src/storage/direct-writer.ts';
import { writeFully } from '../../src/storage/whole-bytes.ts';

const MiB = 1024 ** 2;
/** A folder on a real disk, because the temporary folder of the tests may be in memory. */
const CACHE = join(import.meta.dirname, '../../node_modules/.cache');

await mkdir(CACHE, { recursive: true });
const dir = await mkdtemp(join(CACHE, 'direct-'));
afterAll(() => rm(dir, { recursive: true }));

describe('writes with O_DIRECT', () => {
  it('produce the same file as ordinary writes, whichever pieces the disk accepts', async () => {
    const file = join(dir, 'mixed');
    const handle = await open(file, 'wx+');
    const directWriter = openDirectWriter(file);
    const nextBlock = alignedBlocks(2, 4 * MiB);
    const writtenPieces: [Uint8Array, boolean | null][] = [
      [nextBlock()!, null],
      [nextBlock()!, null],
      // The pieces are not whole blocks, are too small, or are not page-aligned.
      [new Uint8Array(4 * MiB + 5), false],
      [new Uint8Array(4096), false],
      [new Uint8Array(4 * MiB), false],
    ];
    let position = 0;
    for (const [bytes, taken] of writtenPieces) {
      randomFillSync(bytes);
      const isTaken = await directWriter.write(bytes, position);
      if (!isTaken) await writeFully(handle, bytes, position);
      if (taken !== null) expect(isTaken).toBe(taken);
      position += bytes.length;
    }
    await directWriter.close();
    await handle.close();
    expect((await readFile(file)).equals(Buffer.concat(writtenPieces.map(([bytes]) => bytes)))).toBe(true);
  });

  it('fail with the error of the system if the file cannot be opened', async () => {
    const directWriter = openDirectWriter(join(dir, 'nowhere', 'file'));
    await expect(directWriter.write(alignedBlocks(1, 4 * MiB)()!, 0)).rejects.toMatchObject({ code: 'ENOENT' });
    await directWriter.close();
  });
});

describe('alignedBlocks', () => {
  it('returns as many blocks as requested, and they do not overlap', () => {
    const nextBlock = alignedBlocks(3, 4 * MiB);
    const blocks = [nextBlock()!, nextBlock()!, nextBlock()!];
    for (const [i, block] of blocks.entries()) block.fill(i + 1);
    expect(blocks.map((block) => [block.length, block[0], block.at(-1)])).toEqual(
      [1, 2, 3].map((fill) => [4 * MiB, fill, fill]),
    );
    expect(nextBlock()).toBeNull();
  });

  it('returns null if the memory cannot be reserved', () => {
    expect(alignedBlocks(65_537, 64 * 1024)()).toBeNull();
  });
});
