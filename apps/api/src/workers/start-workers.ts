import { setTimeout as sleep } from 'node:timers/promises';
import { armFailpoint, type Log } from '@berth/core';
import { type AdminListener, openAdminListener } from '../admin/admin-listener.ts';
import { readConfig } from '../config/config.ts';
import { coreChecks } from '../health/core-checks.ts';
import { Health } from '../health/health.ts';
import { createProbes } from '../health/probes.ts';
import { HttpListener } from '../http/http-listener.ts';
import { MetricsPage } from '../metrics/metrics-page.ts';
import type { Berth } from '../server.ts';
import { openLinkOf } from '../service/open-link.ts';
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
 * @param signal Aborted to give up the start.
 * @throws ConfigError, or the reason why a worker could not listen or the database could not be reached, or that of `signal`.
 *   Releases all resources first. Source: api §8, §10.
 */
export async function startWorkers(
  env: Readonly<Record<string, string | undefined>>,
  log: Log,
  { giveUp, signal }: { giveUp: (error: Error) => void; signal?: AbortSignal },
): Promise<Omit<Berth, 'core'>> {
  const requestedConfig = readConfig(env);
  armFailpoint(requestedConfig.failpoint);
  // A shared port can be in use by an unrelated process. Listening without sharing fails if the port is in use.
  const health = new Health(log);
  const listener = new HttpListener(requestedConfig, log, { probes: createProbes(health) });
  const port = await listener.listen();
  const config = readConfig({ ...env, PORT: String(port) });
  const resources = new AsyncDisposableStack();
  const pool = new WorkerPool({
    size: config.workers,
    env: { PORT: String(port), LOG_FORMAT: config.logFormat },
    log,
    onFailure: (reason) => void closeAndGiveUp(reason),
  });

  let admin: AdminListener | null = null;

  async function close(): Promise<void> {
    await Promise.all([listener.close(), admin?.close(), pool.stop()]);
    await resources.disposeAsync();
  }

  async function closeAndGiveUp(reason: Error): Promise<void> {
    await close().catch(() => {}); // `giveUp` must get the reason even if closing fails.
    giveUp(reason);
  }

  try {
    const metrics = new MetricsPage({
      health,
      dataDir: config.dataDir,
      collectWorkers: () => pool.collectMetrics(),
    });
    admin = await openAdminListener(config, log, { health, renderMetrics: () => metrics.render() });
    await untilAborted(pool.waitForFirst(), signal);
    const listenerClosed = listener.close();
    await untilAborted(pool.listen(), signal);
    await listenerClosed;
    const { core, ownerKey } = await openService(config, {
      log,
      resources,
      giveUp,
      signal,
      waitsForDatabase: config.adminListen !== null,
    });
    metrics.serve(core);
    admin?.follow(core);
    await untilAborted(pool.serve(), signal);
    health.serve({
      ...coreChecks(core),
      async workers() {
        if (pool.servingCount === 0) throw new Error('No worker is serving.');
      },
    });
    return {
      config,
      ownerKey,
      openLink: (isTerminal) => openLinkOf(core, isTerminal),
      adminPort: admin?.port ?? null,
      async drain() {
        health.drain();
        pool.drain();
        await sleep(config.drainMs);
      },
      close,
    };
  } catch (error) {
    pool.kill();
    await close();
    throw error;
  }
}

/** Waits for a step of the start. @throws the reason of the signal if it is aborted first. */
async function untilAborted(step: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  if (!signal) return step;
  signal.throwIfAborted();
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal.reason as Error);
  signal.addEventListener('abort', onAbort);
  await Promise.race([step, aborted]).finally(() => signal.removeEventListener('abort', onAbort));
}
