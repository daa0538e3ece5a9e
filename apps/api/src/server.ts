import { armFailpoint, type Core, createLiveSites, type Log } from '@berth/core';
import { type Config, readConfig } from './config.ts';
import { createDoor, type Door } from './door.ts';
import { createFrontDoor } from './front-door.ts';
import { openService } from './open-service.ts';

/** A running server. */
export interface Berth {
  /** What it runs with; the port is the one it listens on. */
  config: Config;
  core: Core;
  /** The owner's API key, when this start minted it. */
  ownerKey: string | null;
  /** Finishes running requests, takes no new ones, and lets everything go. Calling it again is no error. */
  close(): Promise<void>;
}

/**
 * Starts a server of one process from its environment: listens at once, answering 503 until the database is migrated and
 * the owner's account is there. Any start may follow any crash.
 *
 * @param giveUp Called when the embedded PostgreSQL ended and cannot be restarted. Default: the error is logged.
 * @throws ConfigError; or why it could not listen or reach its database, with everything let go again.
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

/** Has the requests that come in at a door answered by the service. */
export function serve({ door, core, config, log }: { door: Door; core: Core; config: Config; log: Log }): void {
  door.lead(createFrontDoor({ core, config, sites: createLiveSites(core, { staleMs: config.staleMs }), log }));
}
