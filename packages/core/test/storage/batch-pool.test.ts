import { afterAll, expect, it } from 'vitest';
import { BATCH_BYTES, returnBatch, takeBatch } from '../../src/storage/batch-pool.ts';
import { createHasher } from '../../src/storage/hasher.ts';
import { PackBuilder } from '../../src/storage/pack-builder.ts';
import type { PackFile } from '../../src/storage/packs.ts';

const ALIGNED_BATCHES = 10;
const PAGE_BYTES = 4096;

const hasher = createHasher();
afterAll(() => hasher.close());

const isAligned = ({ buffer, byteOffset }: Buffer) =>
  buffer instanceof SharedArrayBuffer && byteOffset % PAGE_BYTES === 0;

function takeBatches(count: number): Buffer[] {
  return Array.from({ length: count }, takeBatch);
}

it('the pool returns its page-aligned batches first, and others if none is left', () => {
  const batches = takeBatches(ALIGNED_BATCHES + 4);
  expect(batches.map((batch) => batch.length)).toEqual(batches.map(() => BATCH_BYTES));
  expect(batches.map(isAligned)).toEqual(batches.map((_, i) => i < ALIGNED_BATCHES));
  for (const [i, batch] of batches.entries()) batch.fill(i);
  expect(batches.map((batch) => [batch[0], batch.at(-1)])).toEqual(batches.map((_, i) => [i, i]));
  for (const batch of batches) returnBatch(batch);
});

it.each([
  ['before', (batches: Buffer[]) => batches.toReversed()],
  ['after', (batches: Buffer[]) => batches],
])('the pool keeps every page-aligned batch that is returned %s others', (_, order) => {
  const batches = takeBatches(ALIGNED_BATCHES * 2);
  for (const batch of order(batches)) returnBatch(batch);
  const again = takeBatches(ALIGNED_BATCHES * 2);
  expect(again.filter(isAligned)).toHaveLength(ALIGNED_BATCHES);
  expect(again.slice(0, ALIGNED_BATCHES).every(isAligned)).toBe(true);
  for (const batch of again) returnBatch(batch);
});

it.each(['its disk is full', 'it is abandoned'])('a pack returns its batches if %s', async (reason) => {
  const file: Pick<PackFile, 'write' | 'abandon'> = {
    write: () => (reason === 'its disk is full' ? Promise.reject(new Error('ENOSPC')) : Promise.resolve()),
    abandon: () => Promise.resolve(),
  };
  for (let packs = 0; packs < ALIGNED_BATCHES; packs += 1) {
    const builder = new PackBuilder(() => Promise.resolve(file as PackFile), hasher);
    const sink = builder.begin(() => {});
    void sink.write(Buffer.alloc(5 * BATCH_BYTES + 1, packs));
    sink.end();
    const finished = builder.finish();
    if (reason === 'its disk is full') await expect(finished).rejects.toThrow('ENOSPC');
    await builder.abandon();
    await finished.catch(() => {});
    expect(() => sink.write(Buffer.of(1))).toThrow();
  }
  const batches = takeBatches(ALIGNED_BATCHES);
  expect(batches.every(isAligned)).toBe(true);
  for (const batch of batches) returnBatch(batch);
});
