import { hash } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { BATCH_BYTES } from '../../src/storage/batch-pool.ts';
import { openDiskPacks } from '../../src/storage/disk-packs.ts';
import { createHasher } from '../../src/storage/hasher.ts';
import { type ContentDigest, PackBuilder } from '../../src/storage/pack-builder.ts';
import type { PackFile } from '../../src/storage/packs.ts';
import { decodePackIndex } from './decode-pack-index.ts';

const MiB = 1024 ** 2;

let packs = 0;
const dir = await mkdtemp(join(tmpdir(), 'berth-builder-'));
const store = await openDiskPacks(dir);
const hasher = createHasher();
afterAll(async () => {
  await hasher.close();
  await rm(dir, { recursive: true });
});

/** Creates test bytes, which are equal for equal seeds and sizes. */
function contentOf(seed: number, size: number): Buffer {
  const bytes = Buffer.alloc(size, `${size} bytes of ${seed}, `);
  for (let at = 0; at < size; at += 4096) bytes[at] = (at >> 12) + seed * 31 + size;
  return bytes;
}

/** Writes a content in chunks of the given sizes in turn. Overwrites each chunk after writing it. */
async function writeContent(builder: PackBuilder, bytes: Buffer, chunkSizes: readonly number[], keep = true) {
  const digests: ContentDigest[] = [];
  const sink = builder.begin((digest) => digests.push(digest), { keep });
  for (let at = 0, i = 0; at < bytes.length; i += 1) {
    const chunk = Buffer.from(bytes.subarray(at, at + chunkSizes[i % chunkSizes.length]!));
    at += chunk.length;
    const drained = sink.write(chunk);
    chunk.fill(0xee);
    await drained;
  }
  sink.end();
  return digests;
}

const sha256 = (bytes: Uint8Array) => hash('sha256', bytes);

interface Content {
  seed: number;
  size: number;
  chunkSizes: number[];
  keep: boolean;
}

const anyContent = (sizes: fc.Arbitrary<number>, chunks: fc.Arbitrary<number>): fc.Arbitrary<Content> =>
  fc.record({
    seed: fc.nat(1),
    size: sizes,
    chunkSizes: fc.array(chunks, { minLength: 1, maxLength: 4 }),
    keep: fc.integer({ min: 0, max: 4 }).map((n) => n > 0),
  });

/** The contents to retain, as a repeating pattern. */
const anyPattern = fc.oneof(fc.constant([true]), fc.array(fc.boolean(), { minLength: 1, maxLength: 6 }));

/** Builds a pack on a disk, and compares every digest and the sealed file with the expected bytes. */
async function matchesOracle(contents: readonly Content[], pattern: readonly boolean[]): Promise<void> {
  const pack = `${(packs++ % 256).toString(16).padStart(2, '0')}${packs}`;
  let openedFiles = 0;
  const builder = new PackBuilder(() => {
    openedFiles += 1;
    return store.create(pack);
  }, hasher);
  const oracle = new Map<string, Buffer>();
  const digests: ContentDigest[][] = [];
  for (const { seed, size, chunkSizes, keep } of contents)
    digests.push(await writeContent(builder, contentOf(seed, size), chunkSizes, keep));
  await builder.finish();
  for (const [i, { seed, size, keep }] of contents.entries()) {
    const bytes = contentOf(seed, size);
    expect(digests[i]).toEqual([{ sha256: sha256(bytes), md5: hash('md5', bytes), size }]);
    if (keep && !oracle.has(sha256(bytes))) oracle.set(sha256(bytes), bytes);
  }
  expect(builder.contents().map((entry) => entry.sha256)).toEqual([...oracle.keys()]);
  const wantedHashes = new Set([...oracle.keys()].filter((_, i) => pattern[i % pattern.length]));
  for (const key of oracle.keys()) if (!wantedHashes.has(key)) oracle.delete(key);
  await builder.retain((key) => wantedHashes.has(key));
  expect(builder.contents().map((entry) => entry.sha256)).toEqual([...oracle.keys()]);
  const { sizeBytes } = await builder.seal();
  const file = await readFile(join(dir, pack.slice(0, 1), `${pack}.pack`));
  expect(openedFiles).toBe(1);
  expect(file).toHaveLength(sizeBytes);
  expect(decodePackIndex(file)).toEqual(builder.contents());
  let contentEnd = 0;
  for (const { sha256: key, offset, length } of builder.contents()) {
    expect(offset).toBe(contentEnd);
    contentEnd += length;
    expect(file.subarray(offset, contentEnd).equals(oracle.get(key)!), `content of ${length} bytes at ${offset}`).toBe(
      true,
    );
  }
  expect(sizeBytes - contentEnd).toBe(oracle.size * 48 + 48);
  await store.remove(pack);
}

describe('P1, P2: contents collected into a pack', () => {
  it('are stored completely and only once if they are as large as batches', async () => {
    const sizes = fc.oneof(
      fc.constantFrom(0, 1, 65_535, 65_536, 65_537),
      fc.constantFrom(BATCH_BYTES - 1, BATCH_BYTES, BATCH_BYTES + 1, 2 * BATCH_BYTES, 2 * BATCH_BYTES + 5),
      fc.nat(300_000),
      fc.nat(3 * BATCH_BYTES),
    );
    const chunks = fc.oneof(
      fc.constantFrom(65_536, BATCH_BYTES - 1, BATCH_BYTES, BATCH_BYTES + 1),
      fc.integer({ min: 5_000, max: 2 * BATCH_BYTES }),
    );
    const contents = fc.array(anyContent(sizes, chunks), { minLength: 1, maxLength: 8 });
    await fc.assert(fc.asyncProperty(contents, anyPattern, matchesOracle), { numRuns: 20 });
  });

  it('are stored completely and only once if they are small', async () => {
    const sizes = fc.nat(40);
    const chunks = fc.integer({ min: 1, max: 50 });
    const contents = fc.array(anyContent(sizes, chunks), { maxLength: 40 });
    await fc.assert(fc.asyncProperty(contents, anyPattern, matchesOracle), { numRuns: 40 });
  });

  it.each([
    ['empty', () => 0],
    ['tiny', (i: number) => i % 40],
    ['distinct', (i: number) => i],
  ])('are stored completely if they are more than one batch can have, and %s', async (_, sizeOf) => {
    const contents = Array.from({ length: 9_000 }, (_, i) => ({
      seed: 0,
      size: sizeOf(i),
      chunkSizes: [65_536],
      keep: true,
    }));
    await matchesOracle(contents, [true, true, false]);
  });

  it('are hashed in batches, so that the digests of many empty contents do not wait for the end', async () => {
    const builder = new PackBuilder(() => store.create('ee'), hasher);
    const hashedContent = Promise.withResolvers<ContentDigest>();
    for (let i = 0; i < 5_000; i += 1) builder.begin(hashedContent.resolve).end();
    expect(await hashedContent.promise).toMatchObject({ size: 0, sha256: sha256(Buffer.alloc(0)) });
    await builder.abandon();
  });

  it('are stored completely beyond 64 MiB, which are synced while they grow, also if smaller contents follow', async () => {
    const sizes = [5, 66 * MiB, 11 * MiB + 7, 0, 9];
    const contents = sizes.map((size, seed) => ({ seed, size, chunkSizes: [65_536], keep: true }));
    await matchesOracle(contents, [false, true, true]);
  });

  it('are stored completely if a short remainder, a discarded content, a duplicate and a gap meet at a batch boundary', async () => {
    const content = (size: number, keep = true): Content => ({ seed: 0, size, chunkSizes: [100_000], keep });
    const [remainder, discarded] = [content(BATCH_BYTES - 1), content(BATCH_BYTES + 7, false)];
    const largeContent = content(2 * BATCH_BYTES);
    await matchesOracle([remainder, discarded, content(10), remainder, largeContent, content(3)], [true]);
    await matchesOracle(
      [content(5), largeContent, content(6), content(7), largeContent, content(0)],
      [true, false, true],
    );
    await matchesOracle([largeContent, content(9), content(BATCH_BYTES)], [false, true, true]);
  });
});

/** A pack file that records when `step` and the abandonment end. The step ends after `finish` is called. */
function gatedFile(step: 'read' | 'seal') {
  const steps: string[] = [];
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const { promise: mayEnd, resolve: finish } = Promise.withResolvers<void>();
  const gatedStep = () => (begin(), mayEnd.then(() => void steps.push(step)));
  const file: PackFile = {
    write: async () => {},
    read: async () => {},
    seal: async () => {},
    abandon: async () => void steps.push('abandon'),
    [step]: gatedStep,
  };
  return { file, steps, begun, finish };
}

/** An in-memory pack file whose writes wait until they are released. */
function slowFile() {
  const waitingWrites: (() => void)[] = [];
  let abandonCount = 0;
  const file: PackFile = {
    write: () => new Promise((resolve) => waitingWrites.push(resolve)),
    read: () => Promise.reject(new Error('Unexpected read')),
    seal: () => Promise.resolve(),
    abandon: async () => void (abandonCount += 1),
  };
  return { file, waiting: waitingWrites, abandoned: () => abandonCount };
}

describe('a pack whose last content was broken off', () => {
  it('does not keep the threads that hash it', async () => {
    let startedThreads = 0;
    const countThread = () => void (startedThreads += 1);
    process.on('worker', countThread);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const ownHasher = createHasher();
    try {
      for (const pack of ['ea01', 'ea02']) {
        const builder = new PackBuilder(() => store.create(pack), ownHasher);
        await writeContent(builder, contentOf(1, MiB), [MiB]);
        void builder.begin(() => {}).write(contentOf(2, MiB));
        await builder.finish();
        await builder.retain(() => true);
        await builder.seal();
        expect(builder.contents()).toEqual([{ sha256: sha256(contentOf(1, MiB)), offset: 0, length: MiB }]);
        await store.remove(pack);
        vi.advanceTimersByTime(10_000);
      }
      expect(startedThreads).toBe(4);
    } finally {
      process.off('worker', countThread);
      vi.useRealTimers();
      await ownHasher.close();
    }
  });
});

describe('a pack on a slow or broken disk', () => {
  it('makes its writer pause, so that the memory is bounded', async () => {
    const slow = slowFile();
    const builder = new PackBuilder(() => Promise.resolve(slow.file), hasher);
    const sink = builder.begin(() => {});
    const chunk = Buffer.alloc(65_536, 'x');
    let acceptedBytes = 0;
    let writtenBytes = 0;
    while (acceptedBytes < 40 * MiB) {
      let sinkDrained: Promise<void> | undefined;
      while (!sinkDrained) {
        sinkDrained = sink.write(chunk);
        acceptedBytes += chunk.length;
        if (acceptedBytes > 100 * MiB) throw new Error('There was no backpressure');
      }
      expect(acceptedBytes - writtenBytes).toBeLessThanOrEqual(10 * BATCH_BYTES);
      const bufferFree = sinkDrained.then(() => true);
      while (!(await Promise.race([bufferFree, new Promise((resolve) => setImmediate(resolve, false))]))) {
        const release = slow.waiting.shift();
        if (release) writtenBytes += BATCH_BYTES;
        release?.();
      }
    }
    const packAbandoned = builder.abandon();
    while (slow.abandoned() === 0) {
      slow.waiting.shift()?.();
      await new Promise(setImmediate);
    }
    await packAbandoned;
  });

  /** Writes contents until the failing write is reached. */
  async function fillBuffers(builder: PackBuilder): Promise<void> {
    for (let i = 0; i < 120; i += 1) await writeContent(builder, contentOf(i, 200_000), [50_000]);
  }

  it.each([[1], [3], [7]])(
    'T10: reports to the writer that write %s failed, and is removed when it is abandoned',
    async (nth) => {
      const diskFullError = Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
      let writeCount = 0;
      const created = await store.create(`ff${nth}`);
      const file: PackFile = {
        ...created,
        write: (bytes, position) =>
          ++writeCount === nth ? Promise.reject(diskFullError) : created.write(bytes, position),
      };
      const builder = new PackBuilder(() => Promise.resolve(file), hasher);
      await expect(fillBuffers(builder)).rejects.toBe(diskFullError);
      await expect(builder.seal()).rejects.toBe(diskFullError);
      await builder.abandon();
      expect(writeCount).toBe(nth);
      expect(await Array.fromAsync(store.list())).toEqual([]);
    },
  );

  it.each(['write', 'seal'] as const)('T10: reports at the latest when it is sealed that a %s failed', async (step) => {
    const diskFullError = Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
    const created = await store.create('fe01');
    const builder = new PackBuilder(async () => ({ ...created, [step]: () => Promise.reject(diskFullError) }), hasher);
    await writeContent(builder, contentOf(1, 10), [10]);
    await expect(builder.seal()).rejects.toBe(diskFullError);
    await builder.abandon();
    expect(await Array.fromAsync(store.list())).toEqual([]);
  });

  it('reports that no file could be opened, and can then be abandoned', async () => {
    const databaseError = new Error('the database is unavailable');
    const builder = new PackBuilder(() => Promise.reject(databaseError), hasher);
    await expect(fillBuffers(builder)).rejects.toBe(databaseError);
    await expect(builder.seal()).rejects.toBe(databaseError);
    await builder.abandon();
  });
});

describe('a pack that is abandoned early', () => {
  it.each([
    ['nothing was written', []],
    ['little was written', [10, 0, 300_000]],
    ['just less than a batch was written', [BATCH_BYTES - 1]],
  ])('never touches a disk when %s', async (_, sizes) => {
    let openedFiles = 0;
    const builder = new PackBuilder(() => {
      openedFiles += 1;
      return Promise.reject(new Error('Unexpected open'));
    }, hasher);
    for (const [i, size] of sizes.entries()) await writeContent(builder, contentOf(i, size), [64_000]);
    await builder.finish();
    await builder.retain(() => false);
    void builder.begin(() => {}).write(Buffer.from('the client left here'));
    await builder.abandon();
    expect(openedFiles).toBe(0);
  });

  it('is abandoned only after its sealing has finished', async () => {
    const { file, steps, begun, finish } = gatedFile('seal');
    const builder = new PackBuilder(async () => file, hasher);
    await writeContent(builder, contentOf(1, 10), [10]);
    const sealing = builder.seal();
    await begun;
    const packAbandoned = builder.abandon();
    await new Promise(setImmediate);
    finish();
    await Promise.all([sealing, packAbandoned]);
    expect(steps).toEqual(['seal', 'abandon']);
  });

  it('is abandoned only after its contents have been moved', async () => {
    const { file, steps, begun, finish } = gatedFile('read');
    const builder = new PackBuilder(async () => file, hasher);
    await writeContent(builder, contentOf(1, MiB), [MiB]);
    await writeContent(builder, contentOf(2, MiB), [MiB]);
    await builder.finish();
    const retaining = builder.retain((hash) => hash === sha256(contentOf(2, MiB)));
    await begun;
    const packAbandoned = builder.abandon();
    await new Promise(setImmediate);
    finish();
    await Promise.all([retaining, packAbandoned]);
    expect(steps).toEqual(['read', 'abandon']);
  });

  it('is removed if it is abandoned while it is being sealed', async () => {
    const builder = new PackBuilder(() => store.create('fb01'), hasher);
    await writeContent(builder, contentOf(1, 3 * MiB), [MiB]);
    const sealing = builder.seal();
    sealing.catch(() => {});
    await builder.abandon();
    expect(await Array.fromAsync(store.list())).toEqual([]);
  });

  it('is removed if it is abandoned while writes are pending', async () => {
    const builder = new PackBuilder(() => store.create('fc01'), hasher);
    const sink = builder.begin(() => {});
    for (let i = 0; i < 20; i += 1) void sink.write(Buffer.alloc(200_000));
    await builder.abandon();
    await builder.abandon();
    expect(await Array.fromAsync(store.list())).toEqual([]);
  });
});
