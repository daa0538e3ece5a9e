import type { Worker } from 'node:worker_threads';

/** What a thread receives and returns. The number connects a result with its job. */
export interface Job {
  job: number;
}

/** The result of a job that failed. The thread keeps running. */
export interface FailedJob extends Job {
  error: unknown;
}

/** Threads that pass jobs on to each other. A single thread is both the first and the last one. */
export interface ThreadChain {
  /** Receives the jobs. */
  first: Worker;
  /** Sends the results. */
  last: Worker;
}

/** How long threads stay without jobs. */
const IDLE_MS = 10_000;

/**
 * Threads that process jobs in order. They start on first use, end when they are idle, restart after an error, and do not keep the
 * process alive.
 */
export class Threads<J extends Job, R extends Job> {
  readonly #start: () => ThreadChain;
  readonly #isNeeded: () => boolean;
  readonly #waiting = new Map<number, PromiseWithResolvers<R>>();
  #running: ThreadChain | null = null;
  #jobs = 0;
  #idleTimer: NodeJS.Timeout | undefined;

  /** @param isNeeded Whether the threads have state that further jobs need, so that they stay while they are idle. Default: never. */
  constructor(start: () => ThreadChain, isNeeded: () => boolean = () => false) {
    this.#start = start;
    this.#isNeeded = isNeeded;
  }

  /** The running threads; `null` before the first job, after an error, and when they have ended because they were idle. */
  get running(): ThreadChain | null {
    return this.#running;
  }

  /**
   * Runs a job.
   *
   * @param transferList Memory that the job takes along. The caller must not use it until the result returns it.
   * @throws with the code `EIO` if a thread ends before the result arrives; the error of a {@link FailedJob}.
   */
  run(job: Omit<J, 'job'>, transferList: ArrayBuffer[]): Promise<R> {
    const result = Promise.withResolvers<R>();
    const number = (this.#jobs += 1);
    this.#waiting.set(number, result);
    clearTimeout(this.#idleTimer);
    this.#running ??= this.#startChain();
    this.#running.last.ref();
    this.#running.first.postMessage({ ...job, job: number }, transferList);
    return result.promise;
  }

  /** Ends the threads. Pending jobs fail. */
  async close(): Promise<void> {
    clearTimeout(this.#idleTimer);
    if (this.#running) await endChain(this.#running);
  }

  #endWhenIdle(): void {
    this.#idleTimer = setTimeout(() => {
      if (this.#isNeeded()) return this.#endWhenIdle();
      const idleThreads = this.#running;
      this.#running = null;
      if (idleThreads) void endChain(idleThreads);
    }, IDLE_MS).unref();
  }

  #startChain(): ThreadChain {
    const started = this.#start();
    let cause: unknown;
    const onEnd = async () => {
      if (this.#running !== started) return;
      this.#running = null;
      const lost = [...this.#waiting.values()];
      this.#waiting.clear();
      // The other thread can end first. The one that failed reports its error before it has ended.
      await endChain(started);
      for (const { reject } of lost) reject(threadEnded(cause));
    };
    started.last.on('message', (result: R | FailedJob) => this.#settle(result, started));
    for (const thread of new Set([started.first, started.last])) {
      thread.on('error', (error) => {
        cause ??= error;
        void onEnd();
      });
      thread.on('exit', () => void onEnd());
      thread.unref();
    }
    return started;
  }

  #settle(result: R | FailedJob, { last }: ThreadChain): void {
    const waiting = this.#waiting.get(result.job);
    this.#waiting.delete(result.job);
    if (this.#waiting.size === 0) {
      last.unref();
      this.#endWhenIdle();
    }
    if ('error' in result) waiting?.reject(result.error);
    else waiting?.resolve(result);
  }
}

async function endChain({ first, last }: ThreadChain): Promise<void> {
  await Promise.all([first.terminate(), last.terminate()]);
}

/** Returns an error with the code of a failing disk, so that the client can retry the upload. */
export function threadEnded(cause?: unknown): Error {
  return Object.assign(new Error('A thread that hashes uploads has ended', { cause }), { code: 'EIO' });
}
