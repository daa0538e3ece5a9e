import { Worker } from 'node:worker_threads';
import {
  createBlockHasher,
  type HashAnswer,
  type HashJob,
  MD5_BYTES,
  movedWith,
  SHA256_BYTES,
} from './block-hasher.ts';

/** MD5 and SHA-256 of one content, in lowercase hex. */
export interface Hashes {
  md5: string;
  sha256: string;
}

/** The contents of one upload, hashed in the order in which they lie. */
export interface HashStream {
  /**
   * Hashes a block in which contents end at `ends`. Blocks of one stream are answered in order.
   *
   * The block is given away, unless its memory is shared: it comes back, with the same bytes, in the answer. Small blocks of a stream that needs nothing
   * from an earlier one are hashed at once.
   *
   * @throws with code `EIO` when the thread that hashes has ended since the stream began.
   */
  hash(block: Uint8Array, used: number, ends: readonly number[]): Promise<{ block: Uint8Array; hashes: Hashes[] }>;
  /** Forgets a content that was begun and will not end. */
  close(): void;
}

/** Hashes uploads beside the thread that receives them. */
export interface Hasher {
  /** Starts the hashing of one upload. */
  stream(): HashStream;
  /** Ends the thread. What is being hashed fails. */
  close(): Promise<void>;
}

/** Up to here the way to the thread and back takes longer than hashing. */
const INLINE_BYTES = 128 * 1024;
const DIGEST_BYTES = MD5_BYTES + SHA256_BYTES;

/** The thread is started when it is first needed, and again should it die; it keeps no process alive. */
export function createHasher(): Hasher {
  const waiting = new Map<number, PromiseWithResolvers<HashAnswer>>();
  let worker: Worker | null = null;
  let jobs = 0;
  let streams = 0;

  function start(): Worker {
    const started = new Worker(new URL('./hash-worker.ts', import.meta.url));
    const lose = (error: Error) => {
      if (worker !== started) return;
      worker = null;
      for (const { reject } of waiting.values()) reject(error);
      waiting.clear();
    };
    started.on('message', (answer: HashAnswer) => {
      waiting.get(answer.job)?.resolve(answer);
      waiting.delete(answer.job);
      if (waiting.size === 0) started.unref();
    });
    started.on('error', lose);
    started.on('exit', () => lose(ended()));
    started.unref();
    return started;
  }

  function send(job: HashJob & { block: Uint8Array }): Promise<HashAnswer> {
    const answered = Promise.withResolvers<HashAnswer>();
    waiting.set(job.job, answered);
    worker ??= start();
    worker.ref();
    worker.postMessage(job, movedWith(job.block));
    return answered.promise;
  }

  return {
    stream() {
      const stream = (streams += 1);
      let away: Worker | null = null;
      return {
        async hash(block, used, ends) {
          const job = { job: (jobs += 1), stream, block, used, ends };
          const whole = away === null && used <= INLINE_BYTES && (ends.at(-1) ?? 0) === used;
          if (whole) return read(createBlockHasher()(job)!);
          if (away !== null && away !== worker) throw ended();
          const answer = send(job);
          away = worker;
          return read(await answer);
        },
        close() {
          if (away !== null && away === worker)
            away.postMessage({ job: 0, stream, block: null, used: 0, ends: [] } satisfies HashJob, []);
        },
      };
    },
    async close() {
      await worker?.terminate();
    },
  };
}

/** Like a disk that fails: the upload is not kept, and can be sent again. */
function ended(): Error {
  return Object.assign(new Error('The thread that hashes uploads has ended'), { code: 'EIO' });
}

function read({ block, digests }: HashAnswer): { block: Uint8Array; hashes: Hashes[] } {
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
