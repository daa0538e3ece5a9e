import { createHash, type Hash, hash } from 'node:crypto';

/** One block of an upload to hash. It contains consecutive contents. The first may have begun in an earlier block, the last may end in a later one. */
export interface HashJob {
  job: number;
  /** The upload. A content that a block leaves unfinished continues in the next block of the same stream. */
  stream: number;
  /** Transferred to the thread and back with the answer, unless its memory is shared. `null` ends the stream; no answer is sent. */
  block: Uint8Array | null;
  /** How many bytes of the block are used. */
  used: number;
  /** Offsets in the block at which contents end, ascending. */
  ends: readonly number[];
}

/** The MD5 (16 bytes) and SHA-256 (32 bytes) of each content that ended in the block, concatenated. */
export interface HashResult {
  job: number;
  block: Uint8Array;
  digests: Uint8Array<ArrayBuffer>;
}

export const MD5_BYTES = 16;
export const SHA256_BYTES = 32;

/** Hashes contents of several streams, block by block. */
export function createBlockHasher(): (job: HashJob) => HashResult | null {
  const running = new Map<number, { md5: Hash; sha256: Hash }>();
  return ({ job, stream, block, used, ends }) => {
    if (block === null) {
      running.delete(stream);
      return null;
    }
    const digests = new Uint8Array(ends.length * (MD5_BYTES + SHA256_BYTES));
    let start = 0;
    let at = 0;
    for (const end of ends) {
      const part = block.subarray(start, end);
      const unfinished = running.get(stream);
      running.delete(stream);
      digests.set(unfinished ? unfinished.md5.update(part).digest() : hash('md5', part, 'buffer'), at);
      digests.set(
        unfinished ? unfinished.sha256.update(part).digest() : hash('sha256', part, 'buffer'),
        at + MD5_BYTES,
      );
      at += MD5_BYTES + SHA256_BYTES;
      start = end;
    }
    if (start < used) {
      const open = running.get(stream) ?? { md5: createHash('md5'), sha256: createHash('sha256') };
      running.set(stream, open);
      const rest = block.subarray(start, used);
      open.md5.update(rest);
      open.sha256.update(rest);
    }
    return { job, block, digests };
  };
}

/** The transfer list for posting a block to another thread. Shared memory is not transferred. */
export function transferListOf({ buffer }: Uint8Array): ArrayBuffer[] {
  return buffer instanceof ArrayBuffer ? [buffer] : [];
}
