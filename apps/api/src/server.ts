import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import {
  armFailpoint,
  beat,
  type Core,
  createHasher,
  createLiveSites,
  createPlans,
  type DatabaseAddress,
  ensureOwner,
  type Log,
  openDatabase,
  openDiskPacks,
  randomBootId,
  startEmbeddedPostgres,
  unavailable,
} from '@berth/core';
import { sendError } from './http/error-answer.ts';
import { type Config, readConfig } from './config.ts';
import { createFrontDoor } from './front-door.ts';
import { parseTrustedProxies } from './http/client-address.ts';
import { closeIdleConnections, createHttpServer } from './http/server.ts';
import { type Jobs, startJobs } from './jobs.ts';
import { deriveKeys, keepSecretKey } from './secret-key.ts';

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

const IDLE_CHECK_MS = 50;

/**
 * Starts a server from its environment: listens at once, answering 503 until the database is migrated and the owner's
 * account is there. Any start may follow any crash.
 *
 * @throws ConfigError; or why it could not listen or reach its database, with everything let go again.
 * Source: contract §8, §10.
 */
export async function startBerth(env: Readonly<Record<string, string | undefined>>, log: Log): Promise<Berth> {
  const asked = readConfig(env);
  armFailpoint(asked.failpoint);
  let answer = (_req: IncomingMessage, res: ServerResponse): void | Promise<void> =>
    sendError(res, unavailable('The service is starting.', undefined, 1));
  const servers = await listen(asked, log, (req, res) => answer(req, res));
  const resources = new AsyncDisposableStack();
  const close = async () => {
    await closeServers(servers);
    await resources.disposeAsync();
  };
  try {
    const config =
      asked.port === 0 ? readConfig({ ...env, PORT: String((servers[0]!.address() as AddressInfo).port) }) : asked;
    const address = await reachDatabase(config, resources);
    const database = openDatabase(address);
    resources.defer(() => database.close());
    await database.migrate().catch((error: unknown) => {
      throw config.databaseUrl === null ? error : unusableDatabase(error);
    });
    const hasher = createHasher();
    resources.defer(() => hasher.close());
    const core: Core = {
      database,
      packs: await openDiskPacks(join(config.dataDir, 'packs')),
      hasher,
      plans: createPlans(config.plans),
      addresses: {
        platformDomain: config.platformDomain,
        site: (id) => `${config.publicScheme}://${id}.${config.platformDomain}`,
        claim: (hash) => `${config.claimUrl}/${hash}`,
      },
      keys: deriveKeys(config.secretKey ?? (await keepSecretKey(config.dataDir))),
      log,
      boot: randomBootId(),
      activePacks: new Set(),
      now: () => new Date(),
    };
    await beat(core);
    const ownerKey = await ensureOwner(core, {
      email: config.ownerEmail,
      plan: config.ownerPlan,
      apiKey: config.ownerApiKey ?? undefined,
    });
    const jobs: Jobs = startJobs(core, config.sweep);
    resources.defer(() => jobs.stop());
    answer = createFrontDoor({ core, config, sites: createLiveSites(core), log });
    return { config, core, ownerKey, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Says which setting it was about. Attempts at several addresses fail together, with no message of their own. */
function unusableDatabase(error: unknown): Error {
  const { code, message } = error as NodeJS.ErrnoException;
  return new Error(`the database of DATABASE_URL cannot be used: ${message || code}`, { cause: error });
}

/** The database of the configuration: the embedded server, started if it does not run, or the one of `DATABASE_URL`. */
async function reachDatabase(config: Config, resources: AsyncDisposableStack): Promise<DatabaseAddress> {
  if (config.databaseUrl !== null) return { url: config.databaseUrl };
  const postgres = await startEmbeddedPostgres(join(config.dataDir, 'postgres'));
  resources.defer(() => postgres.stop());
  return postgres.address;
}

/** One server an address. An address that this machine does not have is left out, as long as another one is there. */
async function listen(
  config: Config,
  log: Log,
  handler: (req: IncomingMessage, res: ServerResponse) => void | Promise<void>,
): Promise<Server[]> {
  const servers: Server[] = [];
  let { port } = config;
  try {
    for (const host of config.hosts) {
      const server = createHttpServer(handler, { log, trustedProxies: parseTrustedProxies(config.trustedProxies) });
      try {
        await listenOn(server, host, port);
      } catch (error) {
        const absent = ['EADDRNOTAVAIL', 'EAFNOSUPPORT'].includes((error as NodeJS.ErrnoException).code ?? '');
        if (absent && config.hosts.length > 1) continue;
        throw error;
      }
      servers.push(server);
      ({ port } = server.address() as AddressInfo);
    }
    if (servers.length === 0)
      throw new Error(`None of the addresses ${config.hosts.join(', ')} is one of this machine's.`);
    return servers;
  } catch (error) {
    await closeServers(servers);
    throw error;
  }
}

function listenOn(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject).listen({ host, port, ipv6Only: true }, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

/** Stops listening and waits for the requests at hand. Other connections are closed, those with a request as soon as it is answered. */
async function closeServers(servers: readonly Server[]): Promise<void> {
  const listening = servers.filter((server) => server.listening);
  const closed = listening.map((server) => new Promise((done) => server.close(done)));
  // The first turn comes after a moment in which a request that has just been sent can arrive.
  const turns = setInterval(() => listening.forEach(closeIdleConnections), IDLE_CHECK_MS);
  await Promise.all(closed);
  clearInterval(turns);
}
