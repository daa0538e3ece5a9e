import cluster, { type Worker } from 'node:cluster';
import { join } from 'node:path';

/** A command from the first process to a worker. Commands run one at a time, in the order they were sent. */
export type WorkerCommand =
  /** Listen, and respond with 503. */
  | 'listen'
  /** Serve requests; start listening if necessary. */
  | 'serve'
  /** Finish running requests and exit. */
  | 'stop';

/** A reply from a worker to the first process. */
export type WorkerReply =
  /** The command is done. `up` reports the worker's own start; it receives no commands before that. */
  | { done: 'up' | WorkerCommand }
  /** The command failed, and the worker exits. */
  | { failed: WorkerFailure };

/** The serializable part of an error. */
export interface WorkerFailure {
  message: string;
  code?: string | undefined;
  port?: number | undefined;
}

/** A worker, seen from the first process. */
export class WorkerProcess {
  /** Resolves with the reason once it has ended. */
  readonly ended: Promise<Error>;
  readonly #worker: Worker;
  readonly #done = new Map(
    (['up', 'listen', 'serve', 'stop'] as const).map((reply) => [reply, Promise.withResolvers<void>()]),
  );

  /**
   * Starts a worker in a separate process.
   *
   * @param env Additional environment variables of the worker.
   */
  constructor(env: Record<string, string>) {
    cluster.schedulingPolicy = cluster.SCHED_RR;
    cluster.setupPrimary({ exec: join(import.meta.dirname, 'worker.ts') });
    this.#worker = cluster.fork(env);
    let failure: Error | null = null;
    this.#worker.on('message', (reply: WorkerReply) => {
      if ('failed' in reply) failure = Object.assign(new Error(), reply.failed);
      else if ('done' in reply) this.#done.get(reply.done)?.resolve();
    });
    this.ended = new Promise((end) => {
      this.#worker.on('error', end);
      this.#worker.on('exit', (code, signal) =>
        end(failure ?? new Error(`worker ${this.id} ended with ${signal ? `signal ${signal}` : `code ${code}`}.`)),
      );
    });
  }

  /** The worker id in its log lines. */
  get id(): number {
    return this.#worker.id;
  }

  /** Waits until the worker receives commands. @throws the reason if it ends. */
  up(): Promise<void> {
    return this.#waitFor('up');
  }

  /** Sends a command and waits until it is done. @throws the reason if it fails or the worker ends. */
  async send(command: WorkerCommand): Promise<void> {
    await this.up();
    // If the worker has ended in the meantime, `ended` reports it.
    this.#worker.send(command, () => {});
    await this.#waitFor(command);
  }

  /** Lets it finish running requests and waits until it has ended. */
  async stop(): Promise<void> {
    await this.send('stop').catch(() => {});
    await this.ended;
  }

  /** Kills it. */
  kill(): void {
    this.#worker.process.kill('SIGKILL');
  }

  #waitFor(reply: 'up' | WorkerCommand): Promise<void> {
    const ended = this.ended.then((error) => {
      throw error;
    });
    return Promise.race([this.#done.get(reply)!.promise, ended]);
  }
}
