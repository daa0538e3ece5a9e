import { createHash, hash, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { toUnavailable } from '../../src/database/outages.ts';
import { createHasher, type HashStream } from '../../src/storage/hasher.ts';

const hasher = createHasher();
afterAll(() => hasher.close());

const BLOCK_BYTES = 150_000;

/** Concatenates contents, cuts the bytes into blocks and hashes the blocks. */
async function hashAll(stream: HashStream, contents: readonly Buffer[], blockBytes: number) {
  const bytes = Buffer.concat(contents);
  const contentEnds = contents.map((_, i) => contents.slice(0, i + 1).reduce((sum, { length }) => sum + length, 0));
  const pendingResults = [];
  for (let start = 0; start === 0 || start < bytes.length; start += blockBytes) {
    const blockEnd = Math.min(bytes.length, start + blockBytes);
    const isLast = blockEnd === bytes.length;
    const block = new Uint8Array(blockBytes);
    block.set(bytes.subarray(start, blockEnd));
    const endsInBlock = contentEnds.filter(
      (at) => (at > start || (start === 0 && at === 0)) && (at < blockEnd || (isLast && at === blockEnd)),
    );
    const atSeam = isLast ? [] : contentEnds.filter((at) => at === blockEnd);
    const boundaries = [...endsInBlock, ...atSeam].map((at) => at - start);
    pendingResults.push(stream.hash(block, blockEnd - start, boundaries));
  }
  const results = await Promise.all(pendingResults);
  expect(
    Buffer.concat(results.map(({ block }) => block))
      .subarray(0, bytes.length)
      .equals(bytes),
  ).toBe(true);
  return results.flatMap(({ md5s, sha256s }) => md5s.map((md5, i) => ({ md5, sha256: sha256s[i] })));
}

const expectedHashes = (contents: readonly Buffer[]) =>
  contents.map((bytes) => ({ md5: hash('md5', bytes), sha256: hash('sha256', bytes) }));

describe('the hasher', () => {
  it('returns the MD5 and SHA-256 of contents however they are split into blocks, and returns the blocks', async () => {
    const content = fc.oneof(fc.constant(0), fc.nat(50), fc.integer({ min: 0, max: 3 * BLOCK_BYTES }));
    await fc.assert(
      fc.asyncProperty(fc.array(content, { minLength: 1, maxLength: 6 }), async (sizes) => {
        const contents = sizes.map((size) => randomBytes(size));
        const stream = hasher.stream();
        expect(await hashAll(stream, contents, BLOCK_BYTES)).toEqual(expectedHashes(contents));
        stream.close();
      }),
      { numRuns: 25 },
    );
  });

  it('does not mix up uploads that send their blocks alternately', async () => {
    const uploads = Array.from({ length: 5 }, () => [randomBytes(700_000), randomBytes(3), randomBytes(500_000)]);
    const hashed = await Promise.all(uploads.map((contents) => hashAll(hasher.stream(), contents, BLOCK_BYTES)));
    expect(hashed).toEqual(uploads.map(expectedHashes));
  });

  it('starts from scratch after an unfinished content was discarded', async () => {
    const stream = hasher.stream();
    await stream.hash(new Uint8Array(BLOCK_BYTES), BLOCK_BYTES, []);
    stream.close();
    const { sha256s } = await stream.hash(new Uint8Array(BLOCK_BYTES), BLOCK_BYTES, [BLOCK_BYTES]);
    const zeros = createHash('sha256').update(Buffer.alloc(BLOCK_BYTES)).digest('hex');
    expect(sha256s).toEqual([zeros]);
  });
});

describe('idle hashing threads', () => {
  const TEN_SECONDS = 10_000;
  const contents = [randomBytes(BLOCK_BYTES * 2), randomBytes(BLOCK_BYTES)];
  let startedThreads = 0;
  const countThread = () => void (startedThreads += 1);

  beforeEach(() => {
    startedThreads = 0;
    process.on('worker', countThread);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  });
  afterEach(() => {
    process.off('worker', countThread);
    vi.useRealTimers();
  });

  it('end, and start again for further contents of the same upload', async () => {
    const idleHasher = createHasher();
    const stream = idleHasher.stream();
    for (let round = 1; round <= 3; round += 1) {
      expect(await hashAll(stream, contents, BLOCK_BYTES)).toEqual(expectedHashes(contents));
      expect(startedThreads).toBe(round * 2);
      vi.advanceTimersByTime(TEN_SECONDS);
    }
    await idleHasher.close();
  });

  it('stay while an upload has a content that has not ended, and end after it was discarded', async () => {
    const idleHasher = createHasher();
    const [stream, other] = [idleHasher.stream(), idleHasher.stream()];
    await stream.hash(Uint8Array.from(contents[1]!), BLOCK_BYTES, []);
    await other.hash(new Uint8Array(BLOCK_BYTES), BLOCK_BYTES, []);
    vi.advanceTimersByTime(5 * TEN_SECONDS);
    const { sha256s } = await stream.hash(Uint8Array.from(contents[1]!), BLOCK_BYTES, [BLOCK_BYTES]);
    expect(sha256s).toEqual([hash('sha256', Buffer.concat([contents[1]!, contents[1]!]))]);
    vi.advanceTimersByTime(TEN_SECONDS);
    expect(startedThreads).toBe(2);

    other.close();
    vi.advanceTimersByTime(TEN_SECONDS);
    await hashAll(other, contents, BLOCK_BYTES);
    expect(startedThreads).toBe(4);
    await idleHasher.close();
  });
});

describe('a hashing thread that ends', () => {
  it('T10: fails the pending hashes like a disk error, and is replaced for the next upload', async () => {
    const secondHasher = createHasher();
    const interrupted = secondHasher.stream();
    await interrupted.hash(new Uint8Array(BLOCK_BYTES), BLOCK_BYTES, []);
    const lostHash = interrupted.hash(new Uint8Array(64 * BLOCK_BYTES), 64 * BLOCK_BYTES, []);
    const rejection = expect(lostHash).rejects.toMatchObject({ code: 'EIO' });
    await secondHasher.close();
    await rejection;
    const error: unknown = await interrupted.hash(new Uint8Array(10), 10, [10]).catch((thrown: unknown) => thrown);
    expect(toUnavailable(error)?.code).toBe('unavailable');
    const contents = [randomBytes(BLOCK_BYTES * 2)];
    expect(await hashAll(secondHasher.stream(), contents, BLOCK_BYTES)).toEqual(expectedHashes(contents));
    await secondHasher.close();
  });

  it('fails the pending hashes like a disk error, whatever ended the thread', async () => {
    const failing = createHasher();
    const unusable = 1n as unknown as number;
    const failure = failing.stream().hash(new Uint8Array(2 * BLOCK_BYTES), 2 * BLOCK_BYTES, [unusable]);
    const error: unknown = await failure.catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'EIO', cause: expect.any(TypeError) });
    expect(toUnavailable(error)?.code).toBe('unavailable');
    await failing.close();
  });
});
