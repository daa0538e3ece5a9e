import { setTimeout as sleep } from 'node:timers/promises';
import { armFailpoint, type Core } from '@berth/core';
import { LiveSiteCache } from '@berth/core/sites';
import { type Config, readConfig } from './config/config.ts';
import { type AdminListener, openAdminListener } from './admin/admin-listener.ts';
import { coreChecks } from './health/core-checks.ts';
import { Health } from './health/health.ts';
import { createProbes } from './health/probes.ts';
import { HttpListener } from './http/http-listener.ts';
import type { ServerLog } from './logging/logger.ts';
import { MetricsPage } from './metrics/metrics-page.ts';
import { createHostRouter } from './routing/host-router.ts';
import type { CoreOptions } from './service/open-core.ts';
import { openLinkOf } from './service/open-link.ts';
import { openService } from './service/open-service.ts';

export interface Berth {
  /** The configuration, with the port on which the server listens. */
  config: Config;
  core: Core;
  /** The owner's API key, if this start generated it. */
  ownerKey: string | null;
  /**
   * Returns how the owner signs in to the console: a one-time link, or the command that prints one; `null` if the owner has another
   * way in.
   *
   * @param isTerminal Whether a person sees the link. In a log, others could use it. Source: api §13; security T44.
   */
  openLink(isTerminal: boolean): Promise<string | null>;
  /** The port of the listener for operators and proxies; `null` without such a listener. */
  adminPort: number | null;
  /** Makes the server not ready, and resolves after `DRAIN_SECONDS`. Until {@link close}, everything is still served. */
  drain(): Promise<void>;
  /** Finishes running requests, accepts no new requests, and releases all resources. Repeated calls are allowed. */
  close(): Promise<void>;
}

/**
 * Starts a server of one process. The server listens at once and responds with 503 until the database is migrated and
 * the owner's account exists. It can start after any crash.
 *
 * @throws ConfigError, or the reason why the server could not listen or reach its database, or that of `signal`. Releases
 *   all resources first. Source: api §8, §10.
 */
export async function startBerth(
  env: Readonly<Record<string, string | undefined>>,
  log: ServerLog,
  options: Pick<CoreOptions, 'giveUp' | 'parts' | 'signal'> = {},
): Promise<Berth> {
  const requestedConfig = readConfig(env);
  armFailpoint(requestedConfig.failpoint);
  const health = new Health(log);
  const listener = new HttpListener(requestedConfig, log, { probes: createProbes(health) });
  const port = await listener.listen();
  const resources = new AsyncDisposableStack();
  let admin: AdminListener | null = null;
  const close = async () => {
    await Promise.all([listener.close(), admin?.close()]);
    await resources.disposeAsync();
  };
  try {
    const metrics = new MetricsPage({ health, dataDir: requestedConfig.dataDir });
    admin = await openAdminListener(requestedConfig, log, { health, renderMetrics: () => metrics.render() });
    const config = requestedConfig.port === 0 ? readConfig({ ...env, PORT: String(port) }) : requestedConfig;
    const { core, ownerKey } = await openService(config, {
      log,
      resources,
      waitsForDatabase: config.adminListen !== null,
      ...options,
    });
    admin?.follow(core);
    serve({ listener, core, config, health, log });
    metrics.serve(core);
    return {
      config,
      core,
      ownerKey,
      openLink: (isTerminal) => openLinkOf(core, isTerminal),
      adminPort: admin?.port ?? null,
      async drain() {
        health.drain();
        await sleep(config.drainMs);
      },
      close() {
        core.activityFeed.end();
        return close();
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

interface ServingParts {
  listener: HttpListener;
  core: Core;
  config: Config;
  health: Health;
  log: ServerLog;
}

/** Lets a listener serve requests instead of responding with 503. */
export function serve({ listener, ...parts }: ServingParts): void {
  const { core, config, health } = parts;
  const sites = new LiveSiteCache(core, { staleMs: config.staleMs });
  const { handler, plainHandler } = createHostRouter({ ...parts, sites });
  listener.setHandler(handler, plainHandler);
  health.serve(coreChecks(core));
}
