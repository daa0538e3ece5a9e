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
import { type ThreadChain, threadEnded, Threads } from './threads.ts';

/** A block that was hashed. */
interface HashedBlock {
  block: Uint8Array;
  /** The MD5 of each content that ended in the block, in lowercase hex. */
  md5s: string[];
  /** The SHA-256 of each content that ended in the block, in lowercase hex. */
  sha256s: string[];
}

/** Hashes the contents of one upload in the order in which they arrive. */
export interface HashStream {
  /**
   * Hashes a block in which contents end at the offsets `ends`. The results of one stream arrive in order.
   *
   * The caller must not use the block until the result returns it, unless its memory is shared. If a stream begins with small
   * blocks of whole contents, they are hashed synchronously.
   *
   * @throws with the code `EIO` if a thread has ended since the content began.
   */
  hash(block: Uint8Array, used: number, ends: readonly number[]): Promise<HashedBlock>;
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

/** Creates a hasher. The threads start on first use, end when they are idle, restart after an error, and do not keep the process alive. */
export function createHasher(): Hasher {
  /** The streams with a content that has begun and not ended. The threads have its hash so far. */
  const unfinished = new Set<number>();
  const threads = new Threads<HashJob, HashJob>(startChain, () => unfinished.size > 0);
  let streams = 0;
  return {
    stream() {
      const streamNumber = (streams += 1);
      let usedThreads: ThreadChain | null = null;
      return {
        async hash(block, used, ends) {
          const job: HashJob = { job: 0, streamNumber, block, used, ends, digests: {} };
          const isSmall = used <= MAX_SYNC_BYTES && ends.length <= MAX_SYNC_CONTENTS;
          const canHashNow = usedThreads === null && isSmall && (ends.at(-1) ?? 0) === used;
          if (canHashNow) return toHashedBlock(hashNow(job));
          if (unfinished.has(streamNumber) && usedThreads !== threads.running) throw threadEnded();
          if (ends.length > 0) unfinished.delete(streamNumber);
          if ((ends.at(-1) ?? 0) < used) unfinished.add(streamNumber);
          const result = threads.run(job, transferListOf(job));
          usedThreads = threads.running;
          return toHashedBlock(await result);
        },
        close() {
          if (!unfinished.delete(streamNumber) || usedThreads === null || usedThreads !== threads.running) return;
          const end: HashJob = { job: 0, streamNumber, block: null, used: 0, ends: [], digests: {} };
          usedThreads.first.postMessage(end, transferListOf(end));
        },
      };
    },
    close: () => threads.close(),
  };
}

function startChain(): ThreadChain {
  const { port1, port2 } = new MessageChannel();
  return {
    first: startThread('md5', { source: null, target: port1 }),
    last: startThread('sha256', { source: port2, target: null }),
  };
}

function startThread(algorithm: Algorithm, ports: Omit<HashWorkerData, 'algorithm'>): Worker {
  const workerData: HashWorkerData = { algorithm, ...ports };
  const transferList: MessagePort[] = [ports.source, ports.target].filter((port) => port !== null);
  return new Worker(new URL('./hash-worker.ts', import.meta.url), { workerData, transferList });
}

function hashNow(job: HashJob): HashJob {
  return ALGORITHMS.reduce((hashed, algorithm) => createBlockHasher(algorithm)(hashed), job);
}

function toHashedBlock(job: HashJob): HashedBlock {
  return { block: job.block!, md5s: digestsOf(job, 'md5'), sha256s: digestsOf(job, 'sha256') };
}
