import { afterAll, describe, expect, it } from 'vitest';
import { BATCH_BYTES, type BatchPool, createBatchPool } from '../../src/storage/batch-pool.ts';
import { createHasher } from '../../src/storage/hasher.ts';
import { PackBuilder } from '../../src/storage/pack-builder.ts';
import type { PackFile } from '../../src/storage/packs.ts';

const ALIGNED_BATCHES = 10;
const PAGE_BYTES = 4096;

const hasher = createHasher();
afterAll(() => hasher.close());

const isAligned = ({ buffer, byteOffset }: Buffer) =>
  buffer instanceof SharedArrayBuffer && byteOffset % PAGE_BYTES === 0;

function takeBatches(pool: BatchPool, count: number): Buffer[] {
  return Array.from({ length: count }, () => pool.take());
}

describe('a pool of batches', () => {
  it('lends its page-aligned batches first, and others if none is left', () => {
    const batches = takeBatches(createBatchPool(), ALIGNED_BATCHES + 4);
    expect(batches.map((batch) => batch.length)).toEqual(batches.map(() => BATCH_BYTES));
    expect(batches.map(isAligned)).toEqual(batches.map((_, i) => i < ALIGNED_BATCHES));
    for (const [i, batch] of batches.entries()) batch.fill(i);
    expect(batches.map((batch) => [batch[0], batch.at(-1)])).toEqual(batches.map((_, i) => [i, i]));
  });

  it.each([
    ['before', (batches: Buffer[]) => batches.toReversed()],
    ['after', (batches: Buffer[]) => batches],
  ])('keeps every page-aligned batch that is given back %s others', (_, order) => {
    const pool = createBatchPool();
    const batches = takeBatches(pool, ALIGNED_BATCHES * 2);
    for (const batch of order(batches)) pool.giveBack(batch);
    const again = takeBatches(pool, ALIGNED_BATCHES * 2);
    expect(again.filter(isAligned)).toHaveLength(ALIGNED_BATCHES);
    expect(again.slice(0, ALIGNED_BATCHES).every(isAligned)).toBe(true);
  });

  it('keeps at most ten batches, and none of another size', () => {
    const pool = createBatchPool();
    const batches = takeBatches(pool, ALIGNED_BATCHES);
    const others = [1, 2].map((n) => Buffer.alloc(BATCH_BYTES, n));
    for (const batch of [...others, ...batches, Buffer.alloc(64 * 1024)]) pool.giveBack(batch);
    const again = takeBatches(pool, ALIGNED_BATCHES + 1);
    for (const [i, batch] of batches.toReversed().entries()) expect(again[i]).toBe(batch);
    expect(others.some((other) => other === again.at(-1))).toBe(false);
  });

  it.each(['its disk is full', 'it is abandoned'])('gets every batch of a pack back if %s', async (reason) => {
    const pool = createBatchPool();
    const file: Pick<PackFile, 'write' | 'abandon'> = {
      write: () => (reason === 'its disk is full' ? Promise.reject(new Error('ENOSPC')) : Promise.resolve()),
      abandon: () => Promise.resolve(),
    };
    const builder = new PackBuilder(() => Promise.resolve(file as PackFile), hasher, pool);
    const sink = builder.begin(() => {});
    void sink.write(Buffer.alloc(5 * BATCH_BYTES + 1, 'x'));
    sink.end();
    const finished = builder.finish();
    if (reason === 'its disk is full') await expect(finished).rejects.toThrow('ENOSPC');
    await builder.abandon();
    await finished.catch(() => {});
    expect(() => sink.write(Buffer.of(1))).toThrow();
    expect(takeBatches(pool, ALIGNED_BATCHES).every(isAligned)).toBe(true);
  });
});
