import { armFailpoint, type Log } from '@berth/core';
import { type Config, readConfig } from '../config/config.ts';
import { HttpListener } from '../http/http-listener.ts';
import { openService } from '../service/open-service.ts';
import { WorkerPool } from './worker-pool.ts';

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
 * Source: api §8, §10.
 */
export async function startWorkers(
  env: Readonly<Record<string, string | undefined>>,
  log: Log,
  giveUp: (error: Error) => void,
): Promise<Workers> {
  const requested = readConfig(env);
  armFailpoint(requested.failpoint);
  // Workers share their port with any process that also shares it, so this process checks first that the port is free.
  const listener = new HttpListener(requested, log);
  const port = await listener.listen();
  const config = readConfig({ ...env, PORT: String(port) });
  const resources = new AsyncDisposableStack();
  const pool = new WorkerPool({
    size: config.workers,
    env: { PORT: String(port) },
    log,
    onFailure: (reason) => void closeAndGiveUp(reason),
  });

  async function close(): Promise<void> {
    await Promise.all([listener.close(), pool.stop()]);
    await resources.disposeAsync();
  }

  async function closeAndGiveUp(reason: Error): Promise<void> {
    await close().catch(() => {}); // The reason is more important than a failed close.
    giveUp(reason);
  }

  try {
    await pool.waitForFirst();
    const closed = listener.close();
    await pool.listen();
    await closed;
    const { ownerKey } = await openService(config, { log, resources, giveUp });
    await pool.serve();
    return { config, ownerKey, close };
  } catch (error) {
    pool.kill();
    await close();
    throw error;
  }
}
