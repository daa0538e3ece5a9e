import { setTimeout as sleep } from 'node:timers/promises';
import { armFailpoint, type Log } from '@berth/core';
import { type Config, readConfig } from '../config.ts';
import { createDoor } from '../door.ts';
import { openService } from '../open-service.ts';
import { remedyFor } from './restarts.ts';
import { forkWorker, type WorkerProcess } from './worker-process.ts';

/** A running server of several processes. */
export interface Workers {
  /** What they run with; the port is the one they share. */
  config: Config;
  /** The owner's API key, when this start minted it. */
  ownerKey: string | null;
  /** Has the workers finish running requests and end, then lets everything go. Calling it again is no error. */
  close(): Promise<void>;
}

/**
 * Starts a server of several processes from its environment. This one keeps the database and the jobs and answers no
 * request; the workers share the port. One that ends is replaced. They end with this process, however it ends.
 *
 * This process listens at once, answering 503, then the first worker does; the others join when they can serve. So nobody
 * meets a 503 after a first answer.
 *
 * @param giveUp Called with the reason when no worker serves any more and new ones end as soon as they start, or when the
 *   embedded PostgreSQL ended and cannot be restarted.
 * @throws ConfigError; or why a worker could not listen, or the database not be reached, with everything let go again.
 * Source: contract §8, §10.
 */
export async function startWorkers(
  env: Readonly<Record<string, string | undefined>>,
  log: Log,
  giveUp: (error: Error) => void,
): Promise<Workers> {
  const asked = readConfig(env);
  armFailpoint(asked.failpoint);
  // Workers share their port with anybody who shares it, so this process looks whether it is free.
  const door = createDoor(asked, log);
  const port = await door.listen();
  const config = readConfig({ ...env, PORT: String(port) });
  const resources = new AsyncDisposableStack();
  const stopping = new AbortController();
  const fork = () => forkWorker({ PORT: String(port) });
  const first = fork();
  const others = Array.from({ length: config.workers - 1 }, fork);
  const crew = [first, ...others];
  const serving = new Set<WorkerProcess>();
  const killAll = () => crew.forEach((worker) => worker.kill());
  process.on('exit', killAll);

  const serve = async (worker: WorkerProcess) => {
    await worker.tell('serve');
    serving.add(worker);
  };

  async function close(): Promise<void> {
    stopping.abort();
    await door.close();
    await Promise.all(crew.map((worker) => worker.stop()));
    await resources.disposeAsync();
    process.off('exit', killAll);
  }

  /** Has a worker replaced whenever it ends, until this process is told to stop. */
  async function keep(place: number): Promise<void> {
    let before = 0;
    for (let start = performance.now(); ; start = performance.now()) {
      const worker = crew[place]!;
      const error = await worker.ended;
      if (stopping.signal.aborted) return;
      serving.delete(worker);
      const remedy = remedyFor({ livedMs: performance.now() - start, before, serving: serving.size });
      if (remedy.kind === 'give-up') {
        await close();
        giveUp(new Error(`No worker serves any more, and new ones end as soon as they start: ${error.message}`));
        return;
      }
      const { pauseMs, inARow } = remedy;
      log.error({ worker: worker.id, err: error, pauseMs }, 'A worker ended and is replaced');
      await sleep(pauseMs, undefined, { signal: stopping.signal }).catch(() => {});
      if (stopping.signal.aborted) return;
      before = inARow;
      crew[place] = fork();
      serve(crew[place]).catch(() => {}); // Its end tells why.
    }
  }

  try {
    await first.up();
    const closed = door.close();
    await first.tell('listen');
    await closed;
    const { ownerKey } = await openService(config, { log, resources, giveUp });
    await serve(first);
    await Promise.all(others.map(serve));
    for (const place of crew.keys()) void keep(place);
    return { config, ownerKey, close };
  } catch (error) {
    killAll();
    await close();
    throw error;
  }
}
