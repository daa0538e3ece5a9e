import { hash, randomBytes, randomUUID } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { BLOCK_BYTES, divideStored, openBlock } from '../../../src/storage/s3/blocks.ts';
import { createBodies, type PackSource, PART_BYTES } from '../../../src/storage/s3/bodies.ts';

const bodies = createBodies();
afterAll(() => bodies.close());

async function packOf(bytes: Uint8Array): Promise<PackSource> {
  const path = join(tmpdir(), `berth-body-${randomUUID()}`);
  const file = await open(path, 'wx+');
  onTestFinished(async () => {
    await file.close();
    await rm(path);
  });
  await file.writeFile(bytes);
  return { pack: randomUUID(), file };
}

/** Reads a body. @returns Its blocks, verified, and whether its MD5 is right. */
function readBody(source: PackSource, position: number, length: number) {
  return bodies.use(source, position, length, async ({ bytes, md5 }) => ({
    blocks: divideStored(bytes).map((block, i) => openBlock(source.pack, position / BLOCK_BYTES + i, block)),
    hasRightMd5: hash('md5', bytes, 'base64') === md5,
  }));
}

describe('the body of an upload to an object store', () => {
  it('has the bytes of the pack, a checksum after each block, and the MD5 of all', async () => {
    const bytes = randomBytes(PART_BYTES + 2 * BLOCK_BYTES + 5);
    const source = await packOf(bytes);
    const parts = await Promise.all([
      readBody(source, 0, PART_BYTES),
      readBody(source, PART_BYTES, bytes.length - PART_BYTES),
    ]);
    expect(parts.map(({ hasRightMd5 }) => hasRightMd5)).toEqual([true, true]);
    expect(Buffer.concat(parts.flatMap(({ blocks }) => blocks.map((block) => block!))).equals(bytes)).toBe(true);
  });

  it('is empty for an empty pack', async () => {
    expect(await readBody(await packOf(Buffer.alloc(0)), 0, 0)).toEqual({ blocks: [], hasRightMd5: true });
  });

  it('fails if the file ends before the pack, and the bodies of other packs do not', async () => {
    const [short, whole] = [await packOf(randomBytes(10)), await packOf(randomBytes(20))];
    const [failed, read] = await Promise.allSettled([readBody(short, 0, 11), readBody(whole, 0, 20)]);
    expect(failed).toMatchObject({ status: 'rejected', reason: { message: 'A pack ends before byte 11' } });
    expect(read).toMatchObject({ status: 'fulfilled', value: { hasRightMd5: true } });
  });
});
