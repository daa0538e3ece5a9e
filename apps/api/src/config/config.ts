import { resolve } from 'node:path';
import { ANONYMOUS_PLAN, DEFAULT_PLANS, type Plan } from '@berth/contract';
import { DEFAULT_RATE_LIMITS, type RateLimits } from '@berth/core';
import {
  isSample,
  parseAddresses,
  parseApexAddresses,
  parseApiKey,
  parseBaseUrl,
  parseClaimUrl,
  parseCnameTarget,
  parseDatabaseUrl,
  parseDnsServers,
  parseDuration,
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
import { EnvironmentReader } from './environment-reader.ts';
import { readPlansFile } from './plans-file.ts';
import { parseRateLimits } from './rate-limit-list.ts';

/** The configuration of the server: the checked environment, and the values that follow from it. Source: api §10. */
export type Config = Readonly<ReturnType<typeof readConfig>>;

/**
 * Reads the configuration and the files that it names. An empty variable counts as absent; unknown variables are
 * ignored.
 *
 * In production it also rejects unsafe settings: sample secrets, and sites on the host of the API.
 *
 * @throws ConfigError that lists all faults. Source: api §10; security T37.
 */
export function readConfig(env: Readonly<Record<string, string | undefined>>) {
  const reader = new EnvironmentReader(env);
  const addresses = readAddresses(reader);
  const config = {
    /** `NODE_ENV`: `production` or `test`; every other value is `development`, the default. */
    mode: reader.mode,
    ...addresses,
    ...readPlans(reader),
    /** `SECRET_KEY`, 32 bytes; `null` means that a key is generated and stored in `DATA_DIR`. */
    secretKey: reader.read<Buffer | null>('SECRET_KEY', null, parseSecretKey),
    /** `OWNER_API_KEY`; `null` means that a key is generated. */
    ownerApiKey: reader.read<string | null>('OWNER_API_KEY', null, parseApiKey),
    /** `HOST`: the addresses to listen on. Default `127.0.0.1, ::1`. */
    hosts: reader.read('HOST', ['127.0.0.1', '::1'], parseAddresses),
    /** `WORKERS`: how many processes serve requests. Default 1: one process does everything. */
    workers: reader.read('WORKERS', 1, parseWorkers),
    /** `CNAME_TARGET`: the host below which every account has its own CNAME target. Default: the platform host. */
    cnameTarget: reader.read('CNAME_TARGET', addresses.platformHost, parseCnameTarget),
    /** `APEX_ADDRESSES`: the IP addresses that an apex points at. Default none: then no apex can be a domain. */
    apexAddresses: reader.read<string[]>('APEX_ADDRESSES', [], parseApexAddresses),
    /** `DNS_SERVERS`: the resolvers for domain verification, as `address:port`. Default none: those of the system. */
    dnsServers: reader.read<string[]>('DNS_SERVERS', [], parseDnsServers),
    /** `CLAIM_URL`: claim links are this URL, a slash and a claim hash. Default `{BASE_URL}/claim`. */
    claimUrl: reader.read('CLAIM_URL', `${addresses.baseUrl.origin}/claim`, parseClaimUrl),
    /** `DATA_DIR`, as an absolute path. Default `./data`. */
    dataDir: resolve(reader.read('DATA_DIR', './data', String)),
    /** `DATABASE_URL`; `null` means the embedded PostgreSQL. */
    databaseUrl: reader.read<string | null>('DATABASE_URL', null, parseDatabaseUrl),
    /** `OWNER_EMAIL`: default `owner@localhost`. */
    ownerEmail: reader.read('OWNER_EMAIL', 'owner@localhost', parseEmail),
    /** `TRUST_PROXY`: addresses and networks whose forwarding headers are trusted. Default none. */
    trustedProxies: reader.read<string[]>('TRUST_PROXY', [], parseProxies),
    /** `ALLOW_INSECURE`: whether protected sites open over plain http on hosts other than `.localhost`. Default off. */
    allowInsecure: reader.read('ALLOW_INSECURE', false, parseSwitch),
    /** `STALE_SECONDS`, in milliseconds: how long public sites in memory outlast the database. Default 0. */
    staleMs: 1_000 * reader.read('STALE_SECONDS', 0, parseSeconds),
    /** `LOG_LEVEL`: default `info`. */
    logLevel: reader.read('LOG_LEVEL', 'info', parseLogLevel),
    /** `RATE_LIMITS`: `null` for `off`. Default: those of api §7. */
    rateLimits: reader.read<RateLimits | null>('RATE_LIMITS', DEFAULT_RATE_LIMITS, parseRateLimits),
    /** `COMPRESSION`: whether published files are compressed in the background. Only in tests. Default on. */
    compression: reader.readInTests('COMPRESSION', true, parseSwitch),
    /** `JOBS`: whether the server runs its periodic jobs. Only in tests. Default on. */
    jobs: reader.readInTests('JOBS', true, parseSwitch),
    /** `FAILPOINT`: the step at which the process is killed; empty for none. Only in tests. */
    failpoint: reader.readInTests('FAILPOINT', '', String),
    /** `SWEEP_GRACE` and `BOOT_STALE`, durations: how long the sweep waits. Only in tests. */
    sweep: {
      ...reader.readInTests<{ graceMs?: number }>('SWEEP_GRACE', {}, (text) => ({ graceMs: parseDuration(text) })),
      ...reader.readInTests<{ bootStaleMs?: number }>('BOOT_STALE', {}, (text) => ({
        bootStaleMs: parseDuration(text),
      })),
    },
  };
  if (config.mode === 'production') refuseUnsafe(reader, config);
  reader.throwFaults();
  return config;
}

function readAddresses(reader: EnvironmentReader) {
  const port = reader.read('PORT', 4000, parsePort);
  const baseUrl = reader.read('BASE_URL', new URL(`http://localhost:${port}`), parseBaseUrl);
  const publicScheme: 'http' | 'https' = baseUrl.protocol === 'https:' ? 'https' : 'http';
  const domainOf = (text: string) => parsePlatformDomain(text, publicScheme);
  const platformDomain = reader.read('PLATFORM_DOMAIN', domainOf(`localhost:${port}`), domainOf);
  return {
    /** `PORT`: default 4000. After listening on port 0, read the configuration again with the port that was assigned. */
    port,
    /** `BASE_URL`: the origin of the API and the console. Default `http://localhost:{PORT}`. */
    baseUrl,
    /** The scheme of every URL that the server gives out: that of `BASE_URL`. */
    publicScheme,
    /** The host name of `BASE_URL` in the form in which hosts are compared, without a port. */
    apiHost: baseUrl.hostname,
    /** `PLATFORM_DOMAIN`: what follows the name of a site in its URL, including a port. Default `localhost:{PORT}`. */
    platformDomain,
    /** The host name of `PLATFORM_DOMAIN`. */
    platformHost: platformDomain.replace(/:\d+$/, ''),
  };
}

function readPlans(reader: EnvironmentReader) {
  const plans = reader.read<readonly Plan[]>('PLANS_FILE', DEFAULT_PLANS, (text) => readPlansFile(resolve(text)));
  const findPlan = (id: string) => plans.find(({ plan }) => plan === id);
  const defaultPlan = reader.read('DEFAULT_PLAN', findPlan(ANONYMOUS_PLAN)!, (text) => {
    const plan = findPlan(text);
    if (!plan && reader.isSound('PLANS_FILE'))
      throw new Error(`${quote(text)} is not a plan; use one of ${plans.map((known) => known.plan).join(', ')}`);
    return plan!;
  });
  return {
    /** The plans of `PLANS_FILE`, in display order. Default: those of api §6. */
    plans,
    /** `DEFAULT_PLAN`: the plan of a new account. Default `free`. */
    defaultPlan,
    /** The plan of the owner's account: `scale`, or the last plan of a plan table without it. */
    ownerPlan: findPlan('scale') ?? plans.at(-1)!,
  };
}

/** Adds a fault for each sample secret, and if sites are on the host of the API. Source: security T37. */
function refuseUnsafe(
  reader: EnvironmentReader,
  {
    secretKey,
    ownerApiKey,
    platformHost,
    apiHost,
  }: Pick<Config, 'secretKey' | 'ownerApiKey' | 'platformHost' | 'apiHost'>,
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
