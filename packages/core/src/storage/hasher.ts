import { Worker } from 'node:worker_threads';
import {
  createBlockHasher,
  type HashResult,
  type HashJob,
  MD5_BYTES,
  transferListOf,
  SHA256_BYTES,
} from './block-hasher.ts';

/** MD5 and SHA-256 of one content, in lowercase hex. */
export interface Hashes {
  md5: string;
  sha256: string;
}

/** Hashes the contents of one upload in the order in which they arrive. */
export interface HashStream {
  /**
   * Hashes a block in which contents end at the offsets `ends`. Answers of one stream arrive in order.
   *
   * Ownership of the block passes to the thread, unless its memory is shared. The answer returns it with the same bytes. A small block
   * of whole contents is hashed synchronously, as long as no earlier block of the stream went to the thread.
   *
   * @throws with code `EIO` if the thread has ended since the stream began.
   */
  hash(block: Uint8Array, used: number, ends: readonly number[]): Promise<{ block: Uint8Array; hashes: Hashes[] }>;
  /** Discards a content that was begun and will not end. */
  close(): void;
}

/** Hashes uploads in a worker thread. */
export interface Hasher {
  /** Starts hashing one upload. */
  stream(): HashStream;
  /** Ends the thread. Pending hashes fail. */
  close(): Promise<void>;
}

/** Up to this size and number of contents, hashing is faster than the round trip to the thread. */
const INLINE_BYTES = 128 * 1024;
const INLINE_CONTENTS = 256;
const DIGEST_BYTES = MD5_BYTES + SHA256_BYTES;

/** The thread starts on first use and restarts if it dies. It does not keep the process alive. */
export function createHasher(): Hasher {
  const waiting = new Map<number, PromiseWithResolvers<HashResult>>();
  let worker: Worker | null = null;
  let jobs = 0;
  let streams = 0;

  function start(): Worker {
    const started = new Worker(new URL('./hash-worker.ts', import.meta.url));
    const onEnd = (error: Error) => {
      if (worker !== started) return;
      worker = null;
      for (const { reject } of waiting.values()) reject(error);
      waiting.clear();
    };
    started.on('message', (answer: HashResult) => {
      waiting.get(answer.job)?.resolve(answer);
      waiting.delete(answer.job);
      if (waiting.size === 0) started.unref();
    });
    started.on('error', onEnd);
    started.on('exit', () => onEnd(threadEnded()));
    started.unref();
    return started;
  }

  function send(job: HashJob & { block: Uint8Array }): Promise<HashResult> {
    const answered = Promise.withResolvers<HashResult>();
    waiting.set(job.job, answered);
    worker ??= start();
    worker.ref();
    worker.postMessage(job, transferListOf(job.block));
    return answered.promise;
  }

  return {
    stream() {
      const stream = (streams += 1);
      let usedWorker: Worker | null = null;
      return {
        async hash(block, used, ends) {
          const job = { job: (jobs += 1), stream, block, used, ends };
          const isSmall = used <= INLINE_BYTES && ends.length <= INLINE_CONTENTS;
          const isWhole = usedWorker === null && isSmall && (ends.at(-1) ?? 0) === used;
          if (isWhole) return read(createBlockHasher()(job)!);
          if (usedWorker !== null && usedWorker !== worker) throw threadEnded();
          const answer = send(job);
          usedWorker = worker;
          return read(await answer);
        },
        close() {
          if (usedWorker !== null && usedWorker === worker)
            usedWorker.postMessage({ job: 0, stream, block: null, used: 0, ends: [] } satisfies HashJob, []);
        },
      };
    },
    async close() {
      await worker?.terminate();
    },
  };
}

/** The same code as a failing disk: the upload is discarded, and the client can retry it. */
function threadEnded(): Error {
  return Object.assign(new Error('The thread that hashes uploads has ended'), { code: 'EIO' });
}

function read({ block, digests }: HashResult): { block: Uint8Array; hashes: Hashes[] } {
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
