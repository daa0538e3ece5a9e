import { armFailpoint, type Log } from '@berth/core';
import { readConfig } from '../config/config.ts';
import { HttpListener } from '../http/http-listener.ts';
import type { Berth } from '../server.ts';
import { openService } from '../service/open-service.ts';
import { WorkerPool } from './worker-pool.ts';

/**
 * Starts a server of several processes. This process runs the database and the jobs; the workers share the port and
 * serve requests. Workers that end are replaced. All workers end with this process, however it ends.
 *
 * This process listens at once and responds with 503. When the first worker is up, the workers listen instead, also with
 * 503 until each one is ready. After the first successful response, no client gets a 503.
 *
 * @param giveUp Called with the reason when no worker serves and new workers end as soon as they start, or when the
 *   embedded PostgreSQL ended and cannot be restarted.
 * @throws ConfigError, or the reason why a worker could not listen or the database could not be reached. Releases all
 *   resources first. Source: api §8, §10.
 */
export async function startWorkers(
  env: Readonly<Record<string, string | undefined>>,
  log: Log,
  giveUp: (error: Error) => void,
): Promise<Omit<Berth, 'core'>> {
  const requestedConfig = readConfig(env);
  armFailpoint(requestedConfig.failpoint);
  // A shared port can be in use by an unrelated process. Listening without sharing fails if the port is in use.
  const listener = new HttpListener(requestedConfig, log);
  const port = await listener.listen();
  const config = readConfig({ ...env, PORT: String(port) });
  const resources = new AsyncDisposableStack();
  const pool = new WorkerPool({
    size: config.workers,
    env: { PORT: String(port), LOG_FORMAT: config.logFormat },
    log,
    onFailure: (reason) => void closeAndGiveUp(reason),
  });

  async function close(): Promise<void> {
    await Promise.all([listener.close(), pool.stop()]);
    await resources.disposeAsync();
  }

  async function closeAndGiveUp(reason: Error): Promise<void> {
    await close().catch(() => {}); // `giveUp` must get the reason even if closing fails.
    giveUp(reason);
  }

  try {
    await pool.waitForFirst();
    const listenerClosed = listener.close();
    await pool.listen();
    await listenerClosed;
    const { ownerKey } = await openService(config, { log, resources, giveUp });
    await pool.serve();
    return { config, ownerKey, close };
  } catch (error) {
    pool.kill();
    await close();
    throw error;
  }
}
