import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import {
  ALGORITHMS,
  type Algorithm,
  createBlockHasher,
  digestsOf,
  type HashJob,
  transferListOf,
} from './block-hasher.ts';
import type { HashWorkerData } from './hash-worker.ts';

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
   * @throws with the code `EIO` if a thread has ended since the stream began.
   */
  hash(block: Uint8Array, used: number, ends: readonly number[]): Promise<{ block: Uint8Array; hashes: Hashes[] }>;
  /** Discards a content that has begun and not ended. */
  close(): void;
}

/**
 * Two worker threads that hash uploads, one for each algorithm. Each block goes to the first thread, from there to the second, and back,
 * so that both work at the same time on blocks that follow each other.
 */
export interface Hasher {
  stream(): HashStream;
  /** Ends the threads. Pending hashes fail. */
  close(): Promise<void>;
}

/** The maximum size of a block that is hashed synchronously, which is faster than the round trip to the threads. */
const MAX_SYNC_BYTES = 128 * 1024;
const MAX_SYNC_CONTENTS = 256;

/** The two threads. */
interface Threads {
  first: Worker;
  last: Worker;
}

/** Creates a hasher. The threads start on first use, restart after an error, and do not keep the process alive. */
export function createHasher(): Hasher {
  const waitingJobs = new Map<number, PromiseWithResolvers<HashJob>>();
  let threads: Threads | null = null;
  let jobs = 0;
  let streams = 0;

  function start(): Threads {
    const { port1, port2 } = new MessageChannel();
    const started: Threads = {
      first: startThread('md5', { source: null, target: port1 }),
      last: startThread('sha256', { source: port2, target: null }),
    };
    const onEnd = (error: Error) => {
      if (threads !== started) return;
      threads = null;
      for (const { reject } of waitingJobs.values()) reject(error);
      waitingJobs.clear();
      void endThreads(started);
    };
    started.last.on('message', (result: HashJob) => {
      waitingJobs.get(result.job)?.resolve(result);
      waitingJobs.delete(result.job);
      if (waitingJobs.size === 0) started.last.unref();
    });
    for (const thread of [started.first, started.last]) {
      thread.on('error', (error) => onEnd(threadEnded(error)));
      thread.on('exit', () => onEnd(threadEnded()));
      thread.unref();
    }
    return started;
  }

  function sendJob(job: HashJob): Promise<HashJob> {
    const pendingResult = Promise.withResolvers<HashJob>();
    waitingJobs.set(job.job, pendingResult);
    threads ??= start();
    threads.last.ref();
    threads.first.postMessage(job, transferListOf(job));
    return pendingResult.promise;
  }

  return {
    stream() {
      const streamNumber = (streams += 1);
      let usedThreads: Threads | null = null;
      return {
        async hash(block, used, ends) {
          const job: HashJob = { job: (jobs += 1), streamNumber, block, used, ends, digests: {} };
          const isSmall = used <= MAX_SYNC_BYTES && ends.length <= MAX_SYNC_CONTENTS;
          const canHashNow = usedThreads === null && isSmall && (ends.at(-1) ?? 0) === used;
          if (canHashNow) return toHashes(hashNow(job));
          if (usedThreads !== null && usedThreads !== threads) throw threadEnded();
          const result = sendJob(job);
          usedThreads = threads;
          return toHashes(await result);
        },
        close() {
          if (usedThreads === null || usedThreads !== threads) return;
          const end: HashJob = { job: 0, streamNumber, block: null, used: 0, ends: [], digests: {} };
          usedThreads.first.postMessage(end, transferListOf(end));
        },
      };
    },
    async close() {
      if (threads) await endThreads(threads);
    },
  };
}

function startThread(algorithm: Algorithm, ports: Omit<HashWorkerData, 'algorithm'>): Worker {
  const workerData: HashWorkerData = { algorithm, ...ports };
  const transferList: MessagePort[] = [ports.source, ports.target].filter((port) => port !== null);
  return new Worker(new URL('./hash-worker.ts', import.meta.url), { workerData, transferList });
}

async function endThreads({ first, last }: Threads): Promise<void> {
  await Promise.all([first.terminate(), last.terminate()]);
}

/** Returns an error with the code of a failing disk, so that the client can retry the upload. */
function threadEnded(cause?: Error): Error {
  return Object.assign(new Error('A thread that hashes uploads has ended', { cause }), { code: 'EIO' });
}

function hashNow(job: HashJob): HashJob {
  return ALGORITHMS.reduce((hashed, algorithm) => createBlockHasher(algorithm)(hashed), job);
}

function toHashes(job: HashJob): { block: Uint8Array; hashes: Hashes[] } {
  const sha256s = digestsOf(job, 'sha256');
  return { block: job.block!, hashes: digestsOf(job, 'md5').map((md5, i) => ({ md5, sha256: sha256s[i]! })) };
}
