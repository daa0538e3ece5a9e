import cluster from 'node:cluster';
import { join } from 'node:path';
import type { WorkerCommand, WorkerReply } from './messages.ts';

/** A worker, seen from the first process. */
export interface WorkerProcess {
  /** The worker id in its log lines. */
  readonly id: number;
  /** Resolves with the reason once it has ended. */
  readonly ended: Promise<Error>;
  /** Waits until the worker receives commands. @throws the reason if it ends. */
  up(): Promise<void>;
  /** Sends a command and waits until it is done. @throws the reason if it fails or the worker ends. */
  send(command: Exclude<WorkerCommand, 'stop'>): Promise<void>;
  /** Lets it finish running requests and waits until it has ended. */
  stop(): Promise<void>;
  /** Kills it. */
  kill(): void;
}

/**
 * Starts a worker in a separate process.
 *
 * @param env Additional environment variables of the worker.
 */
export function forkWorker(env: Record<string, string>): WorkerProcess {
  cluster.schedulingPolicy = cluster.SCHED_RR;
  cluster.setupPrimary({ exec: join(import.meta.dirname, 'worker.ts') });
  const worker = cluster.fork(env);
  const { id } = worker;
  const done = new Map(
    (['up', 'listen', 'serve', 'stop'] as const).map((reply) => [reply, Promise.withResolvers<void>()]),
  );
  const { promise: ended, resolve: end } = Promise.withResolvers<Error>();
  let failure: Error | null = null;
  worker.on('message', (reply: WorkerReply) => {
    if ('failed' in reply) failure = Object.assign(new Error(), reply.failed);
    else if ('done' in reply) done.get(reply.done)?.resolve();
  });
  worker.on('error', (error) => end(error));
  worker.on('exit', (code, signal) =>
    end(failure ?? new Error(`worker ${id} ended with ${signal ? `signal ${signal}` : `code ${code}`}.`)),
  );

  const waitFor = (reply: 'up' | WorkerCommand) =>
    Promise.race([
      done.get(reply)!.promise,
      ended.then((error) => {
        throw error;
      }),
    ]);
  const send = async (command: WorkerCommand) => {
    await waitFor('up');
    // If the worker has ended in the meantime, `ended` reports it.
    worker.send(command, () => {});
    await waitFor(command);
  };
  return {
    id,
    ended,
    up: () => waitFor('up'),
    send,
    async stop() {
      await send('stop').catch(() => {});
      await ended;
    },
    kill: () => void worker.process.kill('SIGKILL'),
  };
}
