import { Worker } from 'node:worker_threads';
import {
  createBlockHasher,
  type HashResult,
  type HashJob,
  MD5_BYTES,
  transferListOf,
  SHA256_BYTES,
} from './block-hasher.ts';

/** The MD5 and the SHA-256 of one content, in lowercase hex. */
interface Hashes {
  md5: string;
  sha256: string;
}

/** Hashes the contents of one upload in the order in which they arrive. */
export interface HashStream {
  /**
   * Hashes a block in which contents end at the offsets `ends`. The results of one stream arrive in order.
   *
   * The caller must not use the block until the result returns it, unless its memory is shared. If a stream begins with small
   * blocks of whole contents, they are hashed synchronously.
   *
   * @throws with the code `EIO` if the thread has ended since the stream began.
   */
  hash(block: Uint8Array, used: number, ends: readonly number[]): Promise<{ block: Uint8Array; hashes: Hashes[] }>;
  /** Discards a content that has begun and not ended. */
  close(): void;
}

/** A worker thread that hashes uploads. */
export interface Hasher {
  stream(): HashStream;
  /** Ends the thread. Pending hashes fail. */
  close(): Promise<void>;
}

/** The maximum size of a block that is hashed synchronously, which is faster than the round trip to the thread. */
const MAX_SYNC_BYTES = 128 * 1024;
const MAX_SYNC_CONTENTS = 256;
const DIGEST_BYTES = MD5_BYTES + SHA256_BYTES;

/** Creates a hasher. The thread starts on first use, restarts after an error, and does not keep the process alive. */
export function createHasher(): Hasher {
  const waitingJobs = new Map<number, PromiseWithResolvers<HashResult>>();
  let worker: Worker | null = null;
  let jobs = 0;
  let streams = 0;

  function start(): Worker {
    const startedWorker = new Worker(new URL('./hash-worker.ts', import.meta.url));
    const onEnd = (error: Error) => {
      if (worker !== startedWorker) return;
      worker = null;
      for (const { reject } of waitingJobs.values()) reject(error);
      waitingJobs.clear();
    };
    startedWorker.on('message', (result: HashResult) => {
      waitingJobs.get(result.job)?.resolve(result);
      waitingJobs.delete(result.job);
      if (waitingJobs.size === 0) startedWorker.unref();
    });
    startedWorker.on('error', onEnd);
    startedWorker.on('exit', () => onEnd(threadEnded()));
    startedWorker.unref();
    return startedWorker;
  }

  function sendJob(job: HashJob & { block: Uint8Array }): Promise<HashResult> {
    const pendingResult = Promise.withResolvers<HashResult>();
    waitingJobs.set(job.job, pendingResult);
    worker ??= start();
    worker.ref();
    worker.postMessage(job, transferListOf(job.block));
    return pendingResult.promise;
  }

  return {
    stream() {
      const stream = (streams += 1);
      let usedWorker: Worker | null = null;
      return {
        async hash(block, used, ends) {
          const job = { job: (jobs += 1), streamNumber: stream, block, used, ends };
          const isSmall = used <= MAX_SYNC_BYTES && ends.length <= MAX_SYNC_CONTENTS;
          const canHashNow = usedWorker === null && isSmall && (ends.at(-1) ?? 0) === used;
          if (canHashNow) return toHashes(createBlockHasher()(job)!);
          if (usedWorker !== null && usedWorker !== worker) throw threadEnded();
          const result = sendJob(job);
          usedWorker = worker;
          return toHashes(await result);
        },
        close() {
          if (usedWorker !== null && usedWorker === worker)
            usedWorker.postMessage(
              { job: 0, streamNumber: stream, block: null, used: 0, ends: [] } satisfies HashJob,
              [],
            );
        },
      };
    },
    async close() {
      await worker?.terminate();
    },
  };
}

/** Returns an error with the code of a failing disk, so that the client can retry the upload. */
function threadEnded(): Error {
  return Object.assign(new Error('The thread that hashes uploads has ended'), { code: 'EIO' });
}

function toHashes({ block, digests }: HashResult): { block: Uint8Array; hashes: Hashes[] } {
  const hex = Buffer.from(digests.buffer).toString('hex');
  return {
    block,
    hashes: Array.from({ length: digests.length / DIGEST_BYTES }, (_, i) => {
      const md5 = i * DIGEST_BYTES * 2;
      const sha256 = md5 + MD5_BYTES * 2;
      return { md5: hex.slice(md5, sha256), sha256: hex.slice(sha256, sha256 + SHA256_BYTES * 2) };
    }),
  };
}
