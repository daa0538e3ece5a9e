import { join } from 'node:path';
import {
  type Addresses,
  type Core,
  createActivityFeed,
  createDns,
  createHasher,
  createPlans,
  type Database,
  type DatabaseAddress,
  type Log,
  openDatabase,
  openDiskPacks,
  prepareDataFolder,
  newBootId,
  startEmbeddedPostgres,
} from '@berth/core';
import type { Config } from '../config/config.ts';
import { deriveKeys, loadSecretKey } from '../config/secret-key.ts';

const TARGET_TOTAL = 60;
const MAX_PER_PROCESS = 16;
const MIN_PER_PROCESS = 4;
/** Each process has separate connections to listen for notifications of activities and sites. */
const LISTENERS_PER_PROCESS = 2;
const POSTGRES_DEFAULT = 100;
const OPERATOR_RESERVE = 20;

/** The inputs of {@link openCore}. */
export interface CoreOptions {
  log: Log;
  /** Releases everything that was opened. */
  resources: AsyncDisposableStack;
  /**
   * For a process that works beside a server, or without one: it stops the embedded PostgreSQL only if it is its last
   * user.
   */
  visitor?: boolean;
  /**
   * Called when the embedded PostgreSQL ended and cannot be restarted. Only for a process that is not a visitor. Default:
   * the error is logged.
   */
  giveUp?: (error: Error) => void;
  /** Replaces parts of the core, for tests. */
  parts?: (core: Core) => Partial<Core>;
}

/**
 * Opens everything that the services need: the database (started if necessary, and migrated), the packs and the keys.
 *
 * @throws Error with the reason why the data folder or the database cannot be used. Source: api §10, §12.
 */
export async function openCore(config: Config, options: CoreOptions): Promise<Core> {
  const { log, resources } = options;
  await prepareDataFolder(config.dataDir);
  const address = await reachDatabase(config, options);
  const database = await connect(address, config, options).catch((error: unknown) => {
    throw config.databaseUrl === null ? error : unusableDatabase(error);
  });
  const hasher = createHasher();
  resources.defer(() => hasher.close());
  const core: Core = {
    database,
    dns: createDns({ servers: config.dnsServers }),
    packs: await openDiskPacks(join(config.dataDir, 'packs')),
    hasher,
    plans: createPlans(config.plans),
    addresses: addressesOf(config),
    keys: deriveKeys(config.secretKey ?? (await loadSecretKey(config.dataDir))),
    activityFeed: createActivityFeed(database.newActivities),
    rateLimits: config.rateLimits,
    log,
    boot: newBootId(),
    activePacks: new Set(),
    now: () => new Date(),
  };
  return { ...core, ...options.parts?.(core) };
}

/** The addresses that answers contain. Source: api §10. */
function addressesOf({ publicScheme, platformDomain, platformHost, cnameTarget, ...config }: Config): Addresses {
  const port = platformDomain.slice(platformHost.length);
  return {
    platformDomain,
    platformHost,
    cnameTarget,
    apexAddresses: config.apexAddresses,
    serviceHosts: new Set([config.apiHost, new URL(config.claimUrl).hostname, cnameTarget]),
    site: (id) => `${publicScheme}://${id}.${platformDomain}`,
    domain: (name) => `${publicScheme}://${name}${port}`,
    claim: (hash) => `${config.claimUrl}/${hash}`,
    share: (hash) => `${config.baseUrl.origin}/setup/${hash}`,
  };
}

async function connect(address: DatabaseAddress, config: Config, { log, resources }: CoreOptions): Promise<Database> {
  const database = openDatabase(address, { poolSize: shareConnections(config.workers).perProcess, log });
  resources.defer(() => database.close());
  await database.migrate();
  return database;
}

/** Error codes of TLS for a certificate that cannot be verified. */
const UNVERIFIED = /CERT|UNABLE_TO_(?:GET|VERIFY)/;

/** Names the setting that is at fault. When attempts at several addresses fail, the combined error has no message. */
function unusableDatabase(error: unknown): Error {
  const { code = '', message } = error as NodeJS.ErrnoException;
  const advice = UNVERIFIED.test(code)
    ? '. Set sslrootcert= to the file of its CA, or add sslmode=no-verify to trust any certificate'
    : '';
  return new Error(`the database of DATABASE_URL cannot be used: ${message || code}${advice}`, { cause: error });
}

/** The configured database: the embedded server, which is started if it does not run, or that of `DATABASE_URL`. */
async function reachDatabase(config: Config, { resources, ...options }: CoreOptions): Promise<DatabaseAddress> {
  if (config.databaseUrl !== null) return { url: config.databaseUrl };
  const postgres = await startEmbeddedPostgres(join(config.dataDir, 'postgres'), {
    maxConnections: shareConnections(config.workers).max,
    ...options,
  });
  resources.defer(() => postgres.stop());
  return postgres.address;
}

/**
 * How the processes of one server share the connections of PostgreSQL.
 *
 * @param workers Number of processes that serve requests. With several of them, there is one more process that does not.
 * @returns The maximum number of connections for statements in each process, and `max_connections` of the embedded
 *   PostgreSQL, with a reserve for operators.
 */
export function shareConnections(workers: number): { perProcess: number; max: number } {
  const processes = workers === 1 ? 1 : workers + 1;
  const perProcess = Math.min(MAX_PER_PROCESS, Math.max(MIN_PER_PROCESS, Math.floor(TARGET_TOTAL / processes)));
  return {
    perProcess,
    max: Math.max(POSTGRES_DEFAULT, processes * (perProcess + LISTENERS_PER_PROCESS) + OPERATOR_RESERVE),
  };
}
