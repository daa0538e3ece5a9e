import { armFailpoint, type Core, type Log } from '@berth/core';
import { LiveSiteCache } from '@berth/core/sites';
import { type Config, readConfig } from './config.ts';
import { createDoor, type Door } from './door.ts';
import { createFrontDoor } from './front-door.ts';
import { openService } from './open-service.ts';

/** A running server. */
export interface Berth {
  /** Its configuration; the port is the one it listens on. */
  config: Config;
  core: Core;
  /** The owner's API key, if this start generated it. */
  ownerKey: string | null;
  /** Finishes running requests, accepts no new ones, and releases all resources. Repeated calls are allowed. */
  close(): Promise<void>;
}

/**
 * Starts a server of one process from its environment. It listens at once and answers 503 until the database is
 * migrated and the owner's account exists. It can start after any crash.
 *
 * @param giveUp Called when the embedded PostgreSQL ended and cannot be restarted. Default: the error is logged.
 * @throws ConfigError; or the reason why it could not listen or reach its database. All resources are released then.
 * Source: contract §8, §10.
 */
export async function startBerth(
  env: Readonly<Record<string, string | undefined>>,
  log: Log,
  giveUp?: (error: Error) => void,
): Promise<Berth> {
  const asked = readConfig(env);
  armFailpoint(asked.failpoint);
  const door = createDoor(asked, log);
  const port = await door.listen();
  const resources = new AsyncDisposableStack();
  const close = async () => {
    await door.close();
    await resources.disposeAsync();
  };
  try {
    const config = asked.port === 0 ? readConfig({ ...env, PORT: String(port) }) : asked;
    const { core, ownerKey } = await openService(config, { log, resources, ...(giveUp && { giveUp }) });
    serve({ door, core, config, log });
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

/** Connects a door to the service, which answers its requests from then on. */
export function serve({ door, core, config, log }: { door: Door; core: Core; config: Config; log: Log }): void {
  door.lead(createFrontDoor({ core, config, sites: new LiveSiteCache(core, { staleMs: config.staleMs }), log }));
}
