import { armFailpoint, type Core } from '@berth/core';
import { LiveSiteCache } from '@berth/core/sites';
import { type Config, readConfig } from './config/config.ts';
import { HttpListener } from './http/http-listener.ts';
import type { ServerLog } from './logging/logger.ts';
import { createHostRouter } from './routing/host-router.ts';
import type { CoreOptions } from './service/open-core.ts';
import { openService } from './service/open-service.ts';

export interface Berth {
  /** The configuration, with the port on which the server listens. */
  config: Config;
  core: Core;
  /** The owner's API key, if this start generated it. */
  ownerKey: string | null;
  /** Finishes running requests, accepts no new requests, and releases all resources. Repeated calls are allowed. */
  close(): Promise<void>;
}

/**
 * Starts a server of one process. The server listens at once and responds with 503 until the database is migrated and
 * the owner's account exists. It can start after any crash.
 *
 * @throws ConfigError, or the reason why the server could not listen or reach its database. Releases all resources
 *   first. Source: api §8, §10.
 */
export async function startBerth(
  env: Readonly<Record<string, string | undefined>>,
  log: ServerLog,
  options: Pick<CoreOptions, 'giveUp' | 'parts'> = {},
): Promise<Berth> {
  const requestedConfig = readConfig(env);
  armFailpoint(requestedConfig.failpoint);
  const listener = new HttpListener(requestedConfig, log);
  const port = await listener.listen();
  const resources = new AsyncDisposableStack();
  const close = async () => {
    await listener.close();
    await resources.disposeAsync();
  };
  try {
    const config = requestedConfig.port === 0 ? readConfig({ ...env, PORT: String(port) }) : requestedConfig;
    const { core, ownerKey } = await openService(config, { log, resources, ...options });
    serve(listener, core, config, log);
    return {
      config,
      core,
      ownerKey,
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

/** Lets a listener serve requests instead of responding with 503. */
export function serve(listener: HttpListener, core: Core, config: Config, log: ServerLog): void {
  const sites = new LiveSiteCache(core, { staleMs: config.staleMs });
  listener.setHandler(createHostRouter(core, config, sites, log));
}
