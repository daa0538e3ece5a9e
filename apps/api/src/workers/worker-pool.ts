import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '@berth/core';
import type { MetricSnapshot } from '@berth/core/metrics';
import type { WorkerMetrics } from '../metrics/metrics-page.ts';
import { workerRestarts } from '../metrics/server-metrics.ts';
import { WorkerProcess } from './worker-process.ts';

const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 10_000;
/** A worker that ends within this time counts as one that failed at its start. */
const EARLY_EXIT_MS = 10_000;
const MAX_EARLY_EXITS = 5;

export interface WorkerPoolOptions {
  /** How many workers run at the same time. */
  size: number;
  /** Additional environment variables of the workers. */
  env: Record<string, string>;
  log: Log;
  /** Called once the pool replaces no further workers: none serves, and new workers end as soon as they start. */
  onFailure(error: Error): void;
}

/** The worker processes of one server. They are killed when this process exits. */
export class WorkerPool {
  readonly #options: WorkerPoolOptions;
  readonly #workers: WorkerProcess[];
  readonly #serving = new Set<WorkerProcess>();
  readonly #stopping = new AbortController();
  #isDraining = false;
  /** The last metrics of the workers that have ended since the last collection. */
  #endedMetrics: MetricSnapshot[][] = [];
  readonly kill = (): void => this.#workers.forEach((worker) => worker.kill());

  constructor(options: WorkerPoolOptions) {
    this.#options = options;
    this.#workers = Array.from({ length: options.size }, () => new WorkerProcess(options.env));
    process.on('exit', this.kill);
  }

  /** Waits until the first worker receives commands. @throws the reason why the worker ended. */
  async waitForFirst(): Promise<void> {
    await this.#workers[0]!.up();
  }

  /** Lets the first worker listen and respond with 503. @throws the reason why the worker cannot listen. */
  async listen(): Promise<void> {
    await this.#workers[0]!.send('listen');
  }

  /** Lets the first worker serve, then all others, and replaces workers that end. @throws the reason why one cannot serve. */
  async serve(): Promise<void> {
    const [first, ...others] = this.#workers;
    await this.#serveWith(first!);
    await Promise.all(others.map((worker) => this.#serveWith(worker)));
    for (const index of this.#workers.keys()) void this.#supervise(index);
  }

  /** The number of workers that serve requests. */
  get servingCount(): number {
    return this.#serving.size;
  }

  /** Makes all workers not ready, also later ones, although they still serve requests. */
  drain(): void {
    this.#isDraining = true;
    for (const worker of this.#serving) drainWorker(worker);
  }

  /** Collects the metrics of all workers. A worker that does not answer in time is silent; the others do not wait for it. */
  async collectMetrics(): Promise<WorkerMetrics> {
    const reported = await Promise.all(this.#workers.map((worker) => worker.updateMetrics()));
    return {
      workers: this.#workers.map(({ metrics }, index) => ({
        name: `worker-${index + 1}`,
        isUp: reported[index]!,
        metrics,
      })),
      ended: this.#endedMetrics.splice(0),
    };
  }

  /** Lets the workers finish running requests and exit. Repeated calls are allowed. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#workers.map((worker) => worker.stop()));
    process.off('exit', this.kill);
  }

  async #serveWith(worker: WorkerProcess): Promise<void> {
    await worker.send('serve');
    this.#serving.add(worker);
    if (this.#isDraining) drainWorker(worker);
  }

  async #supervise(index: number): Promise<void> {
    const { signal } = this.#stopping;
    const { env, log, onFailure } = this.#options;
    let earlierExits = 0;
    for (let start = performance.now(); ; start = performance.now()) {
      const worker = this.#workers[index]!;
      const error = await worker.ended;
      if (signal.aborted) return;
      this.#serving.delete(worker);
      const lastMetrics = worker.takeMetrics();
      if (lastMetrics.length > 0) this.#endedMetrics.push(lastMetrics);
      workerRestarts.value += 1;
      const livedMs = performance.now() - start;
      const decision = decideRestart({ livedMs, earlierExits, serving: this.#serving.size });
      if (decision === null) {
        this.#stopping.abort();
        onFailure(new Error(`No worker is running, and new workers exit as soon as they start: ${error.message}`));
        return;
      }
      const { pauseMs } = decision;
      log.error({ worker: worker.id, err: error, pauseMs }, 'A worker exited and will be replaced');
      await sleep(pauseMs, undefined, { signal }).catch(() => {});
      if (signal.aborted) return;
      ({ earlierExits } = decision);
      const replacement = new WorkerProcess(env);
      this.#workers[index] = replacement;
      this.#serveWith(replacement).catch(() => {}); // A worker that cannot serve ends; this loop logs the reason.
    }
  }
}

function drainWorker(worker: WorkerProcess): void {
  worker.send('drain').catch(() => {}); // A worker that has ended is not ready anyway.
}

interface WorkerExit {
  livedMs: number;
  /** How many workers directly before this one ended soon after their start. */
  earlierExits: number;
  /** How many other workers are serving. */
  serving: number;
}

/**
 * Decides how to replace a worker that ended. The pauses grow while workers end soon after their start.
 *
 * @returns The pause before the next worker starts, and `earlierExits` for the end of that worker. `null` means that
 *   the pool must give up; it never does so while other workers are serving.
 */
export function decideRestart(exit: WorkerExit): { pauseMs: number; earlierExits: number } | null {
  const earlierExits = exit.livedMs < EARLY_EXIT_MS ? exit.earlierExits + 1 : 0;
  if (earlierExits > MAX_EARLY_EXITS && exit.serving === 0) return null;
  const pauseMs = earlierExits <= 1 ? 0 : Math.min(FIRST_PAUSE_MS * 2 ** (earlierExits - 2), MAX_PAUSE_MS);
  return { pauseMs, earlierExits };
}
