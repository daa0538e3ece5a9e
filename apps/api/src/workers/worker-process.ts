import cluster, { type Worker } from 'node:cluster';
import { fileURLToPath } from 'node:url';
import type { MetricSnapshot } from '@berth/core/metrics';

/**
 * A command from the first process to a worker. `listen` lets the worker listen and respond with 503. `serve` lets it
 * serve requests, and listen if it does not listen yet. `drain` makes it not ready, although it still serves. `stop` lets it finish running requests and exit.
 */
export type WorkerCommand = 'listen' | 'serve' | 'drain' | 'stop';

/** A message from the first process that lets a worker report its metrics. */
export const REPORT_METRICS = 'report metrics';

/** A reply from a worker. `up` means that the worker receives commands. After a failed command the worker exits. */
export type WorkerReply = { done: 'up' | WorkerCommand } | { failed: WorkerFailure } | { metrics: MetricSnapshot[] };

/** A worker that does not report its metrics within this time counts as silent. */
const METRICS_TIMEOUT_MS = 500;

/** The serializable part of an error. */
export interface WorkerFailure {
  message: string;
  code?: string | undefined;
  port?: number | undefined;
}

/** Controls a worker from the first process. */
export class WorkerProcess {
  /** Resolves with the reason once the worker has ended. */
  readonly ended: Promise<Error>;
  readonly #worker: Worker;
  #metrics: MetricSnapshot[] = [];
  #reported = Promise.withResolvers<boolean>();
  readonly #done = new Map(
    (['up', 'listen', 'serve', 'drain', 'stop'] as const).map((reply) => [reply, Promise.withResolvers<void>()]),
  );

  /** @param env Additional environment variables of the worker. */
  constructor(env: Record<string, string>) {
    cluster.schedulingPolicy = cluster.SCHED_RR;
    cluster.setupPrimary({ exec: fileURLToPath(new URL('./worker.ts', import.meta.url)) });
    this.#worker = cluster.fork(env);
    let failure: Error | null = null;
    this.#worker.on('message', (reply: WorkerReply) => {
      if ('failed' in reply) failure = Object.assign(new Error(), reply.failed);
      else if ('done' in reply) this.#done.get(reply.done)?.resolve();
      else if ('metrics' in reply) this.#receiveMetrics(reply.metrics);
    });
    this.ended = new Promise((end) => {
      this.#worker.on('error', end);
      this.#worker.on('exit', (code, signal) =>
        end(failure ?? new Error(`worker ${this.id} ended with ${signal ? `signal ${signal}` : `code ${code}`}.`)),
      );
    });
  }

  get id(): number {
    return this.#worker.id;
  }

  /** Waits until the worker receives commands. @throws the reason why the worker ended. */
  up(): Promise<void> {
    return this.#waitFor('up');
  }

  /** Sends a command and waits until it is done. @throws the reason why the command failed or the worker ended. */
  async send(command: WorkerCommand): Promise<void> {
    await this.up();
    // If the worker has ended, `ended` reports the reason.
    this.#worker.send(command, () => {});
    await this.#waitFor(command);
  }

  /** The metrics that the worker reported last; empty if it never did. */
  get metrics(): MetricSnapshot[] {
    return this.#metrics;
  }

  /** Returns the last metrics of a worker that has ended, and forgets them. */
  takeMetrics(): MetricSnapshot[] {
    const last = this.#metrics;
    this.#metrics = [];
    return last;
  }

  /** Waits until the worker has reported its {@link metrics}. @returns False if it does not do so in time. */
  async updateMetrics(): Promise<boolean> {
    const { promise: tooLate, resolve } = Promise.withResolvers<boolean>();
    const timer = setTimeout(resolve, METRICS_TIMEOUT_MS, false);
    if (this.#worker.isConnected()) this.#worker.send(REPORT_METRICS, () => {});
    const isReported = await Promise.race([this.#reported.promise, tooLate]);
    clearTimeout(timer);
    return isReported;
  }

  #receiveMetrics(metrics: MetricSnapshot[]): void {
    this.#metrics = metrics;
    this.#reported.resolve(true);
    this.#reported = Promise.withResolvers<boolean>();
  }

  /** Lets the worker finish running requests and waits until it has ended. */
  async stop(): Promise<void> {
    await this.send('stop').catch(() => {});
    await this.ended;
  }

  kill(): void {
    this.#worker.process.kill('SIGKILL');
  }

  #waitFor(reply: 'up' | WorkerCommand): Promise<void> {
    const workerEnded = this.ended.then((error) => {
      throw error;
    });
    return Promise.race([this.#done.get(reply)!.promise, workerEnded]);
  }
}
