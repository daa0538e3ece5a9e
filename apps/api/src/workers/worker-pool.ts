import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '@berth/core';
import { WorkerProcess } from './worker-process.ts';

const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 10_000;
/** A worker that lived this long did not fail at its start. */
const SETTLED_MS = 10_000;
const MAX_EARLY_EXITS = 5;

/** What a {@link WorkerPool} needs. */
export interface WorkerPoolOptions {
  /** How many workers run at the same time. */
  size: number;
  /** Additional environment variables of the workers. */
  env: Record<string, string>;
  log: Log;
  /** Called when no worker serves and new ones end as soon as they start. The pool then replaces no further worker. */
  onFailure(error: Error): void;
}

/** The worker processes of one server. They are killed when this process exits. */
export class WorkerPool {
  readonly #options: WorkerPoolOptions;
  readonly #workers: WorkerProcess[];
  readonly #serving = new Set<WorkerProcess>();
  readonly #stopping = new AbortController();
  /** Kills all workers. */
  readonly kill = (): void => this.#workers.forEach((worker) => worker.kill());

  /** Starts the worker processes. */
  constructor(options: WorkerPoolOptions) {
    this.#options = options;
    this.#workers = Array.from({ length: options.size }, () => new WorkerProcess(options.env));
    process.on('exit', this.kill);
  }

  /** Waits until the first worker receives commands. @throws the reason if it ends. */
  async waitForFirst(): Promise<void> {
    await this.#workers[0]!.up();
  }

  /** Lets the first worker listen and answer 503. @throws the reason if it cannot. */
  async listen(): Promise<void> {
    await this.#workers[0]!.send('listen');
  }

  /**
   * Lets the workers serve, the first one before the others. From then on, a worker that ends is replaced.
   *
   * @throws the reason if one of them cannot.
   */
  async serve(): Promise<void> {
    const [first, ...others] = this.#workers;
    await this.#serveWith(first!);
    await Promise.all(others.map((worker) => this.#serveWith(worker)));
    for (const index of this.#workers.keys()) void this.#supervise(index);
  }

  /** Lets the workers finish running requests, and replaces none. Repeated calls are allowed. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#workers.map((worker) => worker.stop()));
    process.off('exit', this.kill);
  }

  async #serveWith(worker: WorkerProcess): Promise<void> {
    await worker.send('serve');
    this.#serving.add(worker);
  }

  /** Replaces a worker each time it ends, until the pool is stopped. */
  async #supervise(index: number): Promise<void> {
    const { signal } = this.#stopping;
    const { env, log, onFailure } = this.#options;
    let earlierExits = 0;
    for (let start = performance.now(); ; start = performance.now()) {
      const worker = this.#workers[index]!;
      const error = await worker.ended;
      if (signal.aborted) return;
      this.#serving.delete(worker);
      const livedMs = performance.now() - start;
      const decision = decideRestart({ livedMs, earlierExits, serving: this.#serving.size });
      if (decision.kind === 'give-up') {
        this.#stopping.abort();
        onFailure(new Error(`No worker serves, and new ones end as soon as they start: ${error.message}`));
        return;
      }
      const { pauseMs, earlyExits } = decision;
      log.error({ worker: worker.id, err: error, pauseMs }, 'A worker ended and is replaced');
      await sleep(pauseMs, undefined, { signal }).catch(() => {});
      if (signal.aborted) return;
      earlierExits = earlyExits;
      const replacement = new WorkerProcess(env);
      this.#workers[index] = replacement;
      this.#serveWith(replacement).catch(() => {}); // The handler of its end reports the error.
    }
  }
}

/** The facts about a worker that has ended. */
export interface WorkerExit {
  /** How long it lived. */
  livedMs: number;
  /** How many of its predecessors, without a gap, ended soon after their start. */
  earlierExits: number;
  /** How many other workers are serving. */
  serving: number;
}

/** The reaction: start another worker after a pause, or give up. Pass `earlyExits` as `earlierExits` when that worker ends. */
export type RestartDecision = { kind: 'restart'; pauseMs: number; earlyExits: number } | { kind: 'give-up' };

/**
 * Decides how to react to the end of a worker. The first one is replaced at once. Workers that end soon after their start are
 * replaced after growing pauses. Never gives up while other workers are serving.
 */
export function decideRestart({ livedMs, earlierExits, serving }: WorkerExit): RestartDecision {
  const earlyExits = livedMs < SETTLED_MS ? earlierExits + 1 : 0;
  if (earlyExits > MAX_EARLY_EXITS && serving === 0) return { kind: 'give-up' };
  const pauseMs = earlyExits <= 1 ? 0 : Math.min(FIRST_PAUSE_MS * 2 ** (earlyExits - 2), MAX_PAUSE_MS);
  return { kind: 'restart', pauseMs, earlyExits };
}
