import { EventEmitter } from 'node:events';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Addresses,
  type Core,
  createActivityFeed,
  createDns,
  createHasher,
  createRuleCompiler,
  createMailer,
  createOidcProvider,
  createPlans,
  type Database,
  type DatabaseAddress,
  type Log,
  requireOwnStore,
  type StoreMarker,
  openDatabase,
  openDiskPacks,
  prepareDataFolder,
  type SignInSettings,
  newBootId,
  startEmbeddedPostgres,
  toServiceError,
  type Tracer,
  UNTRACED,
} from '@berth/core';
import type { Config } from '../config/config.ts';
import { openTracing } from '../tracing/open-tracing.ts';
import { deriveKeys, loadSecretKey } from '../config/secret-key.ts';
import { VERSION } from '../version.ts';
import { requireNoRestore } from './restore-marker.ts';

const TARGET_CONNECTIONS = 60;
const MAX_POOL_SIZE = 16;
const MIN_POOL_SIZE = 4;
/** Each process has one more connection, which reads the change log. */
const READERS_PER_PROCESS = 1;
const DEFAULT_CONNECTIONS = 100;
/** The pause between two attempts to reach a database at the start. */
const DATABASE_RETRY_MS = 1_000;
const OPERATOR_CONNECTIONS = 20;

export interface CoreOptions {
  log: Log;
  /** Disposing of it releases everything that was opened. */
  resources: AsyncDisposableStack;
  /** True for a process that stops the embedded PostgreSQL only if no other process uses it. Default: false. */
  visitor?: boolean;
  /** Called when the embedded PostgreSQL cannot be restarted, unless `visitor` is true. Default: logs the error. */
  giveUp?: (error: Error) => void;
  /** Aborted to give up the start. */
  signal?: AbortSignal | undefined;
  /** Whether to wait for a database of `DATABASE_URL` that is unavailable, instead of failing. Default: false. */
  waitsForDatabase?: boolean;
  /** Whether to migrate the database. Default: true. */
  migrate?: boolean;
  /** Replaces parts of the core, for tests. */
  parts?: (core: Core) => Partial<Core>;
}

/**
 * Opens everything that the services need. Starts the database if necessary, and migrates it unless `migrate` is false.
 *
 * @throws Error with the reason why the data folder or the database cannot be used, or that of `signal`. Source: api §10, §12.
 */
export async function openCore(config: Config, options: CoreOptions): Promise<Core> {
  const { log, resources } = options;
  const tracer = await openTracing(config, options);
  const { database, packs } = await openStores(config, options, tracer);
  options.signal?.throwIfAborted();
  await compareClocks(database, options.log);
  const hasher = createHasher();
  resources.defer(() => hasher.close());
  const ruleCompiler = createRuleCompiler();
  resources.defer(() => ruleCompiler.close());
  const core: Core = {
    database,
    dns: createDns({ servers: config.dnsServers }),
    packs,
    hasher,
    ruleCompiler,
    plans: createPlans(config.plans),
    blockedExtensions: new Set(config.blockedExtensions),
    addresses: addressesOf(config),
    keys: deriveKeys(await loadSecretKey(config)),
    activityFeed: createActivityFeed(database.changes),
    ownerEmail: config.ownerEmail,
    anonymousDeploys: config.anonymousDeploys,
    signIn: openSignIn(config, resources),
    rateLimits: config.rateLimits,
    log,
    tracer,
    boot: newBootId(),
    activePacks: new Set(),
    published: new EventEmitter(),
    now: () => database.clock.now(),
  };
  return { ...core, ...options.parts?.(core) };
}

/** What is stored. */
export interface OpenStores extends Pick<Core, 'database' | 'packs'> {
  /** The marker of the object store; `null` for packs on the disk. */
  marker: StoreMarker | null;
}

/** A difference of the clocks that is logged, because people compare the times of log lines with those of the API. */
const CLOCK_WARNING_MS = 2_000;

async function compareClocks({ clock }: Database, log: Log): Promise<void> {
  const aheadMs = await clock.measure();
  if (Math.abs(aheadMs) > CLOCK_WARNING_MS)
    log.warn(
      { aheadMs: Math.round(aheadMs) },
      'The clock of this machine differs from the clock of the database, which decides. Synchronise both with NTP',
    );
}

/**
 * Opens the database and the packs. Starts the database if necessary, and migrates it unless `migrate` is false.
 *
 * @param tracer Records statements. Default: none.
 * @throws Error with the reason why the data folder or the database cannot be used, or that of `signal`. Source: api §10, §12.
 */
export async function openStores(config: Config, options: CoreOptions, tracer: Tracer = UNTRACED): Promise<OpenStores> {
  await prepareDataFolder(config.dataDir);
  await prepareDataFolder(config.spoolFolder);
  await clearFolder(config.spoolFolder);
  const address = await reachDatabase(config, options);
  const database = await connectDatabase(address, tracer, config, options).catch((error: unknown) => {
    throw config.databaseUrl === null || options.signal?.aborted ? error : unusableDatabase(error);
  });
  const stores = { database, ...(await openPacks(config, options.resources)) };
  if (options.migrate !== false) await requireOwnStore(stores, stores.marker);
  return stores;
}

/** Opens the packs on the disk or in the object store. */
async function openPacks(
  { dataDir, spoolFolder, objectStore, workers }: Config,
  resources: AsyncDisposableStack,
): Promise<Omit<OpenStores, 'database'>> {
  if (!objectStore) return { packs: await openDiskPacks(join(dataDir, 'packs')), marker: null };
  const { openS3Packs } = await import('@berth/core/s3');
  const { address, credentials, cacheBytes } = objectStore;
  const { packs, marker, close } = await openS3Packs({
    bucket: { ...address, credentials },
    spoolFolder,
    cache: { folder: join(dataDir, 'cache'), maxBytes: cacheBytes, processes: processesOf(workers) },
  });
  resources.defer(close);
  return { packs, marker };
}

/**
 * Removes what processes left that were killed just before they removed the names of their temporary files. Files in use have no
 * names.
 */
async function clearFolder(folder: string): Promise<void> {
  for (const name of await readdir(folder)) await rm(join(folder, name), { recursive: true, force: true });
}

/** Opens the ways to sign in that the operator has configured. Source: api §10, §13. */
function openSignIn(config: Config, resources: AsyncDisposableStack): SignInSettings {
  const { smtpUrl, smtpFrom, oidc, baseUrl, signUp, defaultPlan } = config;
  const mailer = smtpUrl === null ? null : createMailer({ url: smtpUrl, from: smtpFrom });
  resources.defer(() => mailer?.close());
  const redirectUri = `${baseUrl.origin}/sign-in/oidc/callback`;
  const provider = oidc && createOidcProvider({ ...oidc, redirectUri });
  return { mailer, provider, signUp: signUp ? { plan: defaultPlan.plan } : null };
}

/** Returns the addresses that responses contain. Source: api §10. */
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
    console: config.baseUrl.origin,
    firstLink: (secret) => `${config.baseUrl.origin}/#first=${secret}`,
    invite: (secret) => `${config.baseUrl.origin}/app/invite#${secret}`,
    share: (hash) => `${config.baseUrl.origin}/setup/${hash}`,
  };
}

async function connectDatabase(
  address: DatabaseAddress,
  tracer: Tracer,
  config: Config,
  { log, resources, signal, waitsForDatabase = false, migrate = true }: CoreOptions,
): Promise<Database> {
  const database = openDatabase(address, {
    poolSize: shareConnections(config.workers).perProcess,
    log,
    tracer,
    version: VERSION,
  });
  resources.defer(() => database.close());
  for (let failures = 0; ; failures += 1) {
    try {
      if (migrate) {
        if (config.databaseUrl !== null) await database.testEngine();
        await requireNoRestore(config.dataDir, database);
        await database.migrate({ signal });
      }
      return database;
    } catch (error) {
      if (!waitsForDatabase || config.databaseUrl === null || toServiceError(error).code !== 'unavailable') throw error;
      if (failures === 0) log.warn({ err: unusableDatabase(error) }, 'Waiting for the database');
      await sleep(DATABASE_RETRY_MS, undefined, { signal });
    }
  }
}

/** Matches the error codes of TLS for a certificate that cannot be verified. */
const UNVERIFIED_CERTIFICATE = /CERT|UNABLE_TO_(?:GET|VERIFY)/;

/** Matches the error of a pooler that refuses the settings of a connection. */
const REFUSED_SETTINGS = /unsupported startup parameter/;

/** Adds the name of the setting to an error. If connecting to several addresses fails, the error has only a code. */
function unusableDatabase(error: unknown): Error {
  const { code = '', message } = error as NodeJS.ErrnoException;
  const advice = REFUSED_SETTINGS.test(message)
    ? '. Use the address of PostgreSQL itself instead of that of a pooler'
    : UNVERIFIED_CERTIFICATE.test(code)
      ? '. Set sslrootcert= to the file of its CA, or add sslmode=no-verify to trust any certificate'
      : '';
  return new Error(`the database of DATABASE_URL cannot be used: ${message || code}${advice}`, { cause: error });
}

/** Returns the address of the configured database. Starts the embedded PostgreSQL if it does not run. */
async function reachDatabase(config: Config, { resources, ...options }: CoreOptions): Promise<DatabaseAddress> {
  if (config.databaseUrl !== null) return { url: config.databaseUrl };
  const postgres = await startEmbeddedPostgres(join(config.dataDir, 'postgres'), {
    maxConnections: shareConnections(config.workers).max,
    ...options,
  });
  resources.defer(() => postgres.stop());
  return postgres.address;
}

/** If several processes serve requests, there is one more process that does not. */
const processesOf = (workers: number) => (workers === 1 ? 1 : workers + 1);

/**
 * Divides the connections of PostgreSQL between the processes of one server.
 *
 * @returns The maximum number of connections for statements in each process, and `max_connections` of the embedded
 *   PostgreSQL, with a reserve for operators.
 */
export function shareConnections(workers: number): { perProcess: number; max: number } {
  const processes = processesOf(workers);
  const perProcess = Math.min(MAX_POOL_SIZE, Math.max(MIN_POOL_SIZE, Math.floor(TARGET_CONNECTIONS / processes)));
  return {
    perProcess,
    max: Math.max(DEFAULT_CONNECTIONS, processes * (perProcess + READERS_PER_PROCESS) + OPERATOR_CONNECTIONS),
  };
}
