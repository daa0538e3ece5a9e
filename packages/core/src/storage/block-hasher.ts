import { createHash, type Hash, hash } from 'node:crypto';
import type { Job } from './threads.ts';

export const ALGORITHMS = ['md5', 'sha256'] as const;
export type Algorithm = (typeof ALGORITHMS)[number];

const DIGEST_BYTES: Readonly<Record<Algorithm, number>> = { md5: 16, sha256: 32 };

/** One block of an upload to hash. A content can begin in an earlier block and end in a later block. */
export interface HashJob extends Job {
  /** The number of the upload. An unfinished content continues in the next block of the same stream. */
  streamNumber: number;
  /** The bytes, which move from thread to thread unless their memory is shared. `null` ends the stream. */
  block: Uint8Array | null;
  used: number;
  /** The ascending offsets in the block at which contents end. */
  ends: readonly number[];
  /** For each algorithm so far, the digests of the contents that ended in the block. */
  digests: Partial<Record<Algorithm, Uint8Array<ArrayBuffer>>>;
}

/** Hashes contents. Writes the digests into a buffer, one after the other. */
export type HashContents = (contents: readonly Uint8Array[], digests: Buffer) => void;

/**
 * Creates a function that hashes the contents of several streams with one algorithm, block by block, and adds the digests to the job.
 *
 * @param hashContents Hashes the contents that are in one block. Default: one after the other, with OpenSSL.
 */
export function createBlockHasher(
  algorithm: Algorithm,
  hashContents: HashContents = (contents, digests) => hashEach(algorithm, contents, digests),
): (job: HashJob) => HashJob {
  const unfinishedHashes = new Map<number, Hash>();
  return (job) => {
    const { streamNumber: stream, block, used, ends } = job;
    if (block === null) {
      unfinishedHashes.delete(stream);
      return job;
    }
    const digests = Buffer.alloc(ends.length * DIGEST_BYTES[algorithm]);
    const unfinishedContent = unfinishedHashes.get(stream);
    let hashedCount = 0;
    if (unfinishedContent && ends.length > 0) {
      digests.set(unfinishedContent.update(block.subarray(0, ends[0])).digest());
      unfinishedHashes.delete(stream);
      hashedCount = 1;
    }
    const wholeContents = ends.slice(hashedCount).map((end, i) => block.subarray(ends[hashedCount + i - 1] ?? 0, end));
    hashContents(wholeContents, digests.subarray(hashedCount * DIGEST_BYTES[algorithm]));
    const start = ends.at(-1) ?? 0;
    if (start < used) {
      const openHash = unfinishedHashes.get(stream) ?? createHash(algorithm);
      unfinishedHashes.set(stream, openHash);
      openHash.update(block.subarray(start, used));
    }
    return { ...job, digests: { ...job.digests, [algorithm]: digests } };
  };
}

function hashEach(algorithm: Algorithm, contents: readonly Uint8Array[], digests: Buffer): void {
  let length = 0;
  // A short string costs less than a buffer, of which there would be one for each content.
  for (const content of contents) length += digests.write(hash(algorithm, content, 'binary'), length, 'binary');
}

/** Returns the digests of one algorithm in lowercase hex, in the order of the contents. */
export function digestsOf({ digests, ends }: HashJob, algorithm: Algorithm): string[] {
  const hex = Buffer.from(digests[algorithm]!.buffer).toString('hex');
  const digits = DIGEST_BYTES[algorithm] * 2;
  return ends.map((_, i) => hex.slice(i * digits, (i + 1) * digits));
}

/** Returns the transfer list for posting a job to another thread, without shared memory, which cannot be transferred. */
export function transferListOf({ block, digests }: HashJob): ArrayBuffer[] {
  const digestBuffers = Object.values(digests).map(({ buffer }) => buffer);
  return block?.buffer instanceof ArrayBuffer ? [block.buffer, ...digestBuffers] : digestBuffers;
}
