import cluster from 'node:cluster';
import { join } from 'node:path';
import type { Order, Report } from './messages.ts';

/** A worker, as the first process sees it. */
export interface WorkerProcess {
  /** Which one its log lines say it is. */
  readonly id: number;
  /** Resolves with why, once it has ended. */
  readonly ended: Promise<Error>;
  /** Waits until it hears what it is told. @throws why it ended. */
  up(): Promise<void>;
  /** Has it do something and waits until that is done. @throws why it could not, or why it ended. */
  tell(order: Exclude<Order, 'stop'>): Promise<void>;
  /** Has it finish running requests and waits until it has ended. */
  stop(): Promise<void>;
  /** Ends it at once. */
  kill(): void;
}

/**
 * Starts a worker, in a process of its own.
 *
 * @param env What it finds in its environment besides.
 */
export function forkWorker(env: Record<string, string>): WorkerProcess {
  cluster.schedulingPolicy = cluster.SCHED_RR;
  cluster.setupPrimary({ exec: join(import.meta.dirname, 'worker.ts') });
  const worker = cluster.fork(env);
  const { id } = worker;
  const done = new Map(
    (['up', 'listen', 'serve', 'stop'] as const).map((what) => [what, Promise.withResolvers<void>()]),
  );
  const { promise: ended, resolve: end } = Promise.withResolvers<Error>();
  let failure: Error | null = null;
  worker.on('message', (report: Report) => {
    if ('failed' in report) failure = Object.assign(new Error(), report.failed);
    else if ('done' in report) done.get(report.done)?.resolve();
  });
  worker.on('error', (error) => end(error));
  worker.on('exit', (code, signal) =>
    end(failure ?? new Error(`worker ${id} ended with ${signal ? `signal ${signal}` : `code ${code}`}.`)),
  );

  const reported = (what: 'up' | Order) =>
    Promise.race([
      done.get(what)!.promise,
      ended.then((error) => {
        throw error;
      }),
    ]);
  const tell = async (order: Order) => {
    await reported('up');
    // One that has ended meanwhile is told of by `ended`.
    worker.send(order, () => {});
    await reported(order);
  };
  return {
    id,
    ended,
    up: () => reported('up'),
    tell,
    async stop() {
      await tell('stop').catch(() => {});
      await ended;
    },
    kill: () => void worker.process.kill('SIGKILL'),
  };
}
