import { createHash, type Hash, hash } from 'node:crypto';

/** One block of an upload to hash. A content can begin in an earlier block and end in a later block. */
export interface HashJob {
  job: number;
  /** The number of the upload. An unfinished content continues in the next block of the same stream. */
  streamNumber: number;
  /** The bytes, which move to the thread and back unless their memory is shared. `null` ends the stream without a result. */
  block: Uint8Array | null;
  used: number;
  /** The ascending offsets in the block at which contents end. */
  ends: readonly number[];
}

/** The result of a job. `digests` has 16 bytes of MD5 and 32 bytes of SHA-256 for each content that ended in the block. */
export interface HashResult {
  job: number;
  block: Uint8Array;
  digests: Uint8Array<ArrayBuffer>;
}

export const MD5_BYTES = 16;
export const SHA256_BYTES = 32;

/** Creates a function that hashes the contents of several streams, block by block. */
export function createBlockHasher(): (job: HashJob) => HashResult | null {
  const unfinishedHashes = new Map<number, { md5: Hash; sha256: Hash }>();
  return ({ job, streamNumber: stream, block, used, ends }) => {
    if (block === null) {
      unfinishedHashes.delete(stream);
      return null;
    }
    const digests = new Uint8Array(ends.length * (MD5_BYTES + SHA256_BYTES));
    let start = 0;
    let digestsLength = 0;
    for (const contentEnd of ends) {
      const content = block.subarray(start, contentEnd);
      const unfinishedContent = unfinishedHashes.get(stream);
      unfinishedHashes.delete(stream);
      digests.set(
        unfinishedContent ? unfinishedContent.md5.update(content).digest() : hash('md5', content, 'buffer'),
        digestsLength,
      );
      digests.set(
        unfinishedContent ? unfinishedContent.sha256.update(content).digest() : hash('sha256', content, 'buffer'),
        digestsLength + MD5_BYTES,
      );
      digestsLength += MD5_BYTES + SHA256_BYTES;
      start = contentEnd;
    }
    if (start < used) {
      const openHashes = unfinishedHashes.get(stream) ?? { md5: createHash('md5'), sha256: createHash('sha256') };
      unfinishedHashes.set(stream, openHashes);
      const beginning = block.subarray(start, used);
      openHashes.md5.update(beginning);
      openHashes.sha256.update(beginning);
    }
    return { job, block, digests };
  };
}

/** Returns the transfer list for posting a block to another thread; empty for shared memory, which cannot be transferred. */
export function transferListOf({ buffer }: Uint8Array): ArrayBuffer[] {
  return buffer instanceof ArrayBuffer ? [buffer] : [];
}
