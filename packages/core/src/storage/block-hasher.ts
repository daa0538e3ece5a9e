import { createHash, type Hash, hash } from 'node:crypto';

/** What of one upload is to be hashed: contents side by side, of which the first may have begun and the last may go on. */
export interface HashJob {
  job: number;
  /** Whose unfinished content goes on from one job to the next. */
  stream: number;
  /** Moved here, and moved back with the answer; or shared. `null`: the stream is over, and nothing is answered. */
  block: Uint8Array | null;
  /** How many bytes of the block count. */
  used: number;
  /** Where contents end in the block, ascending. */
  ends: readonly number[];
}

/** The MD5 (16 bytes) and SHA-256 (32 bytes) of each content that ended, one behind the other. */
export interface HashAnswer {
  job: number;
  block: Uint8Array;
  digests: Uint8Array<ArrayBuffer>;
}

export const MD5_BYTES = 16;
export const SHA256_BYTES = 32;

/** Hashes contents of several streams, block by block. */
export function createBlockHasher(): (job: HashJob) => HashAnswer | null {
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
      const begun = running.get(stream);
      running.delete(stream);
      digests.set(begun ? begun.md5.update(part).digest() : hash('md5', part, 'buffer'), at);
      digests.set(begun ? begun.sha256.update(part).digest() : hash('sha256', part, 'buffer'), at + MD5_BYTES);
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

/** What moves when a block is sent to another thread; a shared one stays where it is. */
export function movedWith({ buffer }: Uint8Array): ArrayBuffer[] {
  return buffer instanceof ArrayBuffer ? [buffer] : [];
}
