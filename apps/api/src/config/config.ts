import { resolve } from 'node:path';
import { ANONYMOUS_PLAN, DEFAULT_PLANS, type Plan } from '@berth/contract';
import { DEFAULT_RATE_LIMITS, type RateLimits } from '@berth/core';
import {
  isSample,
  type LogLevel,
  parseAddresses,
  parseApexAddresses,
  parseApiKey,
  parseBaseUrl,
  parseClaimUrl,
  parseCnameTarget,
  parseDatabaseUrl,
  parseDnsServers,
  parseEmail,
  parseLogLevel,
  parsePlatformDomain,
  parsePort,
  parseProxies,
  parseSecretKey,
  parseSeconds,
  parseSwitch,
  parseWorkers,
  quote,
} from './config-values.ts';
import { parseDuration } from './durations.ts';
import { EnvironmentReader } from './environment-reader.ts';
import { readPlansFile } from './plans-file.ts';
import { parseRateLimits } from './rate-limit-list.ts';

/**
 * The configuration of the server: the checked environment, and the values that follow from it. Source: api §10.
 */
export interface Config {
  /** `NODE_ENV`: `production` or `test`; every other value is `development`, the default. */
  readonly mode: 'production' | 'test' | 'development';
  /** `HOST`: the addresses to listen on. Default `127.0.0.1, ::1`. */
  readonly hosts: readonly string[];
  /** `PORT`: default 4000. After listening on port 0, read the configuration again with the port that was assigned. */
  readonly port: number;
  /** `WORKERS`: how many processes serve requests. Default 1: one process does everything. */
  readonly workers: number;
  /** `BASE_URL`: the origin of the API and the console. Default `http://localhost:{PORT}`. */
  readonly baseUrl: URL;
  /** The scheme of every URL that the server gives out: that of `BASE_URL`. */
  readonly publicScheme: 'http' | 'https';
  /** The host name of `BASE_URL` in the form in which hosts are compared, without a port. */
  readonly apiHost: string;
  /** `PLATFORM_DOMAIN`: what follows the name of a site in its URL, including a port. Default `localhost:{PORT}`. */
  readonly platformDomain: string;
  /** The host name of `PLATFORM_DOMAIN`. */
  readonly platformHost: string;
  /** `CNAME_TARGET`: the host below which every account has its own CNAME target. Default: the platform host. */
  readonly cnameTarget: string;
  /** `APEX_ADDRESSES`: the IP addresses that an apex points at. Default none: then no apex can be a domain. */
  readonly apexAddresses: readonly string[];
  /**
   * `DNS_SERVERS`: the resolvers for domain verification, as `address:port`. Default none: the resolvers of the system
   * are used.
   */
  readonly dnsServers: readonly string[];
  /** `CLAIM_URL`: claim links are this URL, a slash and a claim hash. Default `{BASE_URL}/claim`. */
  readonly claimUrl: string;
  /** `DATA_DIR`, as an absolute path. Default `./data`. */
  readonly dataDir: string;
  /** `DATABASE_URL`; `null` means the embedded PostgreSQL. */
  readonly databaseUrl: string | null;
  /** `OWNER_EMAIL`: default `owner@localhost`. */
  readonly ownerEmail: string;
  /** `OWNER_API_KEY`; `null` means that a key is generated. */
  readonly ownerApiKey: string | null;
  /** The plan of the owner's account: `scale`, or the last plan of a plan table without it. */
  readonly ownerPlan: Plan;
  /** `SECRET_KEY`, 32 bytes; `null` means that a key is generated and stored in `DATA_DIR`. */
  readonly secretKey: Buffer | null;
  /** `TRUST_PROXY`: addresses and networks whose forwarding headers are trusted. Default none. */
  readonly trustedProxies: readonly string[];
  /**
   * `ALLOW_INSECURE`: whether protected sites can be opened over plain http on hosts other than `.localhost`. Default
   * off.
   */
  readonly allowInsecure: boolean;
  /**
   * `STALE_SECONDS`, in milliseconds: how long public sites in memory are served while the database is unavailable.
   * Default 0.
   */
  readonly staleMs: number;
  /** `LOG_LEVEL`: default `info`. */
  readonly logLevel: LogLevel;
  /** The plans of `PLANS_FILE`, in display order. Default: those of api §6. */
  readonly plans: readonly Plan[];
  /** `DEFAULT_PLAN`: the plan of a new account. Default `free`. */
  readonly defaultPlan: Plan;
  /** `RATE_LIMITS`: `null` for `off`. Default: those of api §7. */
  readonly rateLimits: RateLimits | null;
  /**
   * `COMPRESSION`: whether published files are compressed in the background. Can be set only when `NODE_ENV` is `test`.
   * Default on.
   */
  readonly compression: boolean;
  /** `JOBS`: whether the server runs its periodic jobs. Can be set only when `NODE_ENV` is `test`. Default on. */
  readonly jobs: boolean;
  /**
   * `FAILPOINT`: the step at which the process is killed; empty for none. Can be set only when `NODE_ENV` is `test`.
   */
  readonly failpoint: string;
  /** `SWEEP_GRACE` and `BOOT_STALE`, durations: how long the sweep waits. Can be set only when `NODE_ENV` is `test`. */
  readonly sweep: { readonly graceMs?: number; readonly bootStaleMs?: number };
}

/**
 * Reads the configuration and the files that it names. An empty variable counts as absent; unknown variables are
 * ignored.
 *
 * In production it also rejects unsafe settings: sample secrets, and sites on the host of the API.
 *
 * @throws ConfigError that lists all faults. Source: api §10; security T37.
 */
export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const reader = new EnvironmentReader(env);
  const addresses = readAddresses(reader);
  const plans = readPlans(reader);
  const secretKey = reader.read<Buffer | null>('SECRET_KEY', null, parseSecretKey);
  const ownerApiKey = reader.read<string | null>('OWNER_API_KEY', null, parseApiKey);
  if (reader.mode === 'production') refuseUnsafe(reader, { ...addresses, secretKey, ownerApiKey });
  const { platformHost, baseUrl } = addresses;
  const config: Config = {
    mode: reader.mode,
    ...addresses,
    ...plans,
    secretKey,
    ownerApiKey,
    hosts: reader.read('HOST', ['127.0.0.1', '::1'], parseAddresses),
    workers: reader.read('WORKERS', 1, parseWorkers),
    cnameTarget: reader.read('CNAME_TARGET', platformHost, parseCnameTarget),
    apexAddresses: reader.read<string[]>('APEX_ADDRESSES', [], parseApexAddresses),
    dnsServers: reader.read<string[]>('DNS_SERVERS', [], parseDnsServers),
    claimUrl: reader.read('CLAIM_URL', `${baseUrl.origin}/claim`, parseClaimUrl),
    dataDir: resolve(reader.read('DATA_DIR', './data', String)),
    databaseUrl: reader.read<string | null>('DATABASE_URL', null, parseDatabaseUrl),
    ownerEmail: reader.read('OWNER_EMAIL', 'owner@localhost', parseEmail),
    trustedProxies: reader.read<string[]>('TRUST_PROXY', [], parseProxies),
    allowInsecure: reader.read('ALLOW_INSECURE', false, parseSwitch),
    staleMs: 1_000 * reader.read('STALE_SECONDS', 0, parseSeconds),
    logLevel: reader.read('LOG_LEVEL', 'info', parseLogLevel),
    rateLimits: reader.read<RateLimits | null>('RATE_LIMITS', DEFAULT_RATE_LIMITS, parseRateLimits),
    compression: reader.readInTests('COMPRESSION', true, parseSwitch),
    jobs: reader.readInTests('JOBS', true, parseSwitch),
    failpoint: reader.readInTests('FAILPOINT', '', String),
    sweep: readSweep(reader),
  };
  reader.throwFaults();
  return config;
}

type Addresses = Pick<Config, 'port' | 'baseUrl' | 'publicScheme' | 'apiHost' | 'platformDomain' | 'platformHost'>;

function readAddresses(reader: EnvironmentReader): Addresses {
  const port = reader.read('PORT', 4000, parsePort);
  const baseUrl = reader.read('BASE_URL', new URL(`http://localhost:${port}`), parseBaseUrl);
  const publicScheme = baseUrl.protocol === 'https:' ? 'https' : 'http';
  const domainOf = (text: string) => parsePlatformDomain(text, publicScheme);
  const platformDomain = reader.read('PLATFORM_DOMAIN', domainOf(`localhost:${port}`), domainOf);
  const platformHost = platformDomain.replace(/:\d+$/, '');
  return { port, baseUrl, publicScheme, apiHost: baseUrl.hostname, platformDomain, platformHost };
}

function readPlans(reader: EnvironmentReader): Pick<Config, 'plans' | 'defaultPlan' | 'ownerPlan'> {
  const plans = reader.read('PLANS_FILE', DEFAULT_PLANS, (text) => readPlansFile(resolve(text)));
  const findPlan = (id: string) => plans.find(({ plan }) => plan === id);
  const defaultPlan = reader.read('DEFAULT_PLAN', findPlan(ANONYMOUS_PLAN)!, (text) => {
    const plan = findPlan(text);
    if (!plan && reader.isSound('PLANS_FILE'))
      throw new Error(`${quote(text)} is not a plan; use one of ${plans.map((known) => known.plan).join(', ')}`);
    return plan!;
  });
  return { plans, defaultPlan, ownerPlan: findPlan('scale') ?? plans.at(-1)! };
}

function readSweep(reader: EnvironmentReader): Config['sweep'] {
  return {
    ...reader.readInTests<Config['sweep']>('SWEEP_GRACE', {}, (text) => ({ graceMs: parseDuration(text) })),
    ...reader.readInTests<Config['sweep']>('BOOT_STALE', {}, (text) => ({ bootStaleMs: parseDuration(text) })),
  };
}

/** Adds a fault for each sample secret, and if sites are on the host of the API. Source: security T37. */
function refuseUnsafe(
  reader: EnvironmentReader,
  { secretKey, ownerApiKey, platformHost, apiHost }: Addresses & Pick<Config, 'secretKey' | 'ownerApiKey'>,
): void {
  if (secretKey && isSample(secretKey))
    reader.addFault(
      'SECRET_KEY',
      'must not be a sample; use 32 random bytes, such as the output of "openssl rand -hex 32"',
    );
  if (ownerApiKey && isSample(Buffer.from(ownerApiKey.replace(/^\w+-/, ''), 'hex')))
    reader.addFault(
      'OWNER_API_KEY',
      'must not be a sample; omit it to generate a key, or use "ship-" followed by the output of "openssl rand -hex 16"',
    );
  if (platformHost === apiHost && reader.isSound('BASE_URL', 'PLATFORM_DOMAIN'))
    reader.addFault(
      'PLATFORM_DOMAIN',
      `must not be ${platformHost}, the host of BASE_URL; use a separate domain for sites, such as "sites.example.com"`,
    );
}
