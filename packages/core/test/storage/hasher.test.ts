import { createHash, hash, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
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
