import { setTimeout as sleep } from 'node:timers/promises';
import { armFailpoint, type Log } from '@berth/core';
import { type Config, readConfig } from '../config.ts';
import { createHttpListener } from '../http-listener.ts';
import { openService } from '../open-service.ts';
import { decideRestart } from './restarts.ts';
import { forkWorker, type WorkerProcess } from './worker-process.ts';

/** A running server of several processes. */
export interface Workers {
  /** Their configuration; the port is the one they share. */
  config: Config;
  /** The owner's API key, if this start generated it. */
  ownerKey: string | null;
  /** Lets the workers finish running requests and end, then releases all resources. Repeated calls are allowed. */
  close(): Promise<void>;
}

/**
 * Starts a server of several processes from its environment. This process keeps the database and the jobs and answers
 * no requests; the workers share the port. A worker that ends is replaced. The workers end with this process, however
 * it ends.
 *
 * This process listens at once and answers 503 until the first worker listens; the others join when they are ready. So
 * no client gets a 503 after the first real answer.
 *
 * @param giveUp Called with the reason when no worker serves and new ones end as soon as they start, or when the
 *   embedded PostgreSQL ended and cannot be restarted.
 * @throws ConfigError; or the reason why a worker could not listen or the database could not be reached. All resources
 *   are released then.
 * Source: contract §8, §10.
 */
export async function startWorkers(
  env: Readonly<Record<string, string | undefined>>,
  log: Log,
  giveUp: (error: Error) => void,
): Promise<Workers> {
  const requested = readConfig(env);
  armFailpoint(requested.failpoint);
  // Workers share their port with any process that also shares it, so this process checks first that the port is free.
  const listener = createHttpListener(requested, log);
  const port = await listener.listen();
  const config = readConfig({ ...env, PORT: String(port) });
  const resources = new AsyncDisposableStack();
  const stopping = new AbortController();
  const fork = () => forkWorker({ PORT: String(port) });
  const first = fork();
  const others = Array.from({ length: config.workers - 1 }, fork);
  const workers = [first, ...others];
  const serving = new Set<WorkerProcess>();
  const killAll = () => workers.forEach((worker) => worker.kill());
  process.on('exit', killAll);

  const serve = async (worker: WorkerProcess) => {
    await worker.send('serve');
    serving.add(worker);
  };

  async function close(): Promise<void> {
    stopping.abort();
    await listener.close();
    await Promise.all(workers.map((worker) => worker.stop()));
    await resources.disposeAsync();
    process.off('exit', killAll);
  }

  /** Replaces a worker whenever it ends, until this process is stopped. */
  async function supervise(index: number): Promise<void> {
    let earlierExits = 0;
    for (let start = performance.now(); ; start = performance.now()) {
      const worker = workers[index]!;
      const error = await worker.ended;
      if (stopping.signal.aborted) return;
      serving.delete(worker);
      const decision = decideRestart({ livedMs: performance.now() - start, earlierExits, serving: serving.size });
      if (decision.kind === 'give-up') {
        await close();
        giveUp(new Error(`No worker serves any more, and new ones end as soon as they start: ${error.message}`));
        return;
      }
      const { pauseMs, earlyExits } = decision;
      log.error({ worker: worker.id, err: error, pauseMs }, 'A worker ended and is replaced');
      await sleep(pauseMs, undefined, { signal: stopping.signal }).catch(() => {});
      if (stopping.signal.aborted) return;
      earlierExits = earlyExits;
      workers[index] = fork();
      serve(workers[index]).catch(() => {}); // The handler of its end reports the error.
    }
  }

  try {
    await first.up();
    const closed = listener.close();
    await first.send('listen');
    await closed;
    const { ownerKey } = await openService(config, { log, resources, giveUp });
    await serve(first);
    await Promise.all(others.map(serve));
    for (const index of workers.keys()) void supervise(index);
    return { config, ownerKey, close };
  } catch (error) {
    killAll();
    await close();
    throw error;
  }
}
