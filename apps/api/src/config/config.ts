import { join, resolve } from 'node:path';
import { isatty } from 'node:tty';
import { ANONYMOUS_PLAN, BLOCKED_EXTENSIONS, DEFAULT_PLANS, type Plan, UNLIMITED_PLAN } from '@berth/contract';
import { DEFAULT_RATE_LIMITS, type RateLimits } from '@berth/core';
import { CONSOLE_FOLDER } from '../built-folders.ts';
import { readObjectStore } from './object-store.ts';
import * as values from './config-values.ts';
import { EnvironmentReader } from './environment-reader.ts';
import { readPlansFile } from './plans-file.ts';
import { parseRateLimits } from './rate-limit-list.ts';

/** The checked configuration of the server. Source: api §10. */
export type Config = Readonly<ReturnType<typeof readConfig>>;

/**
 * Reads the configuration and the files that it names. An empty variable counts as absent; unknown variables are
 * ignored. In production, sample secrets and sites on the host of the API are invalid.
 *
 * @throws ConfigError that lists all faults. Source: api §10; security T37.
 */
export function readConfig(env: Readonly<Record<string, string | undefined>>) {
  const reader = new EnvironmentReader(env);
  const addresses = readAddresses(reader);
  const dataDir = resolve(reader.read('DATA_DIR', './data', String));
  const config = {
    mode: reader.mode,
    ...addresses,
    ...readPlans(reader),
    /** The secret of 32 bytes from which keys are derived. `null` means that it is in `dataDir`, see `loadSecretKey`. */
    secretKey: reader.readSecret<Buffer | null>('SECRET_KEY', null, values.parseSecretKey),
    /** The API key of the owner's account. `null` means that it is generated. */
    ownerApiKey: reader.readSecret<string | null>('OWNER_API_KEY', null, values.parseApiKey),
    hosts: reader.read('HOST', ['127.0.0.1', '::1'], values.parseAddresses),
    /** The number of processes that serve requests. With 1, the same process also runs the jobs. */
    workers: reader.read('WORKERS', 1, values.parseWorkers),
    /** The host below which every account has its own CNAME target. */
    cnameTarget: reader.read('CNAME_TARGET', addresses.platformHost, values.parseCnameTarget),
    /** The IP addresses that an apex points at. If there are none, no apex can be a domain. */
    apexAddresses: reader.read<string[]>('APEX_ADDRESSES', [], values.parseApexAddresses),
    /** The resolvers for domain verification, as `address:port`. If there are none, the system chooses them. */
    dnsServers: reader.read<string[]>('DNS_SERVERS', [], values.parseDnsServers),
    /** A claim link is this URL, a slash and a claim hash. */
    claimUrl: reader.read('CLAIM_URL', `${addresses.baseUrl.origin}/claim`, values.parseClaimUrl),
    dataDir,
    /** The folder of the built console. `null` without a built console. */
    consoleFolder: reader.readInTests<string | null>('CONSOLE_FOLDER', CONSOLE_FOLDER, (text) =>
      text === 'none' ? null : resolve(text),
    ),
    /** The folder for temporary files. It is on the disk of the packs, because `/tmp` may be in memory. */
    spoolFolder: join(dataDir, 'spool'),
    /** `null` means that the embedded PostgreSQL is used. */
    databaseUrl: reader.readSecret<string | null>('DATABASE_URL', null, values.parseDatabaseUrl),
    /** The object store with the packs. `null` means that they are in `dataDir`. */
    objectStore: readObjectStore(reader),
    ownerEmail: reader.read('OWNER_EMAIL', 'owner@localhost', values.parseEmail),
    /** The addresses and networks whose forwarding headers are trusted. */
    trustedProxies: reader.read<string[]>('TRUST_PROXY', [], values.parseProxies),
    /** Whether protected sites open over plain http on hosts other than `.localhost`. */
    allowInsecure: reader.read('ALLOW_INSECURE', false, values.parseSwitch),
    /** How long public sites in memory may be served while the database is unavailable. */
    staleMs: 1_000 * reader.read('STALE_SECONDS', 0, values.parseSeconds),
    ...readSignIn(reader, addresses),
    ...readAdmin(reader),
    logLevel: reader.read('LOG_LEVEL', 'info', values.parseLogLevel),
    logFormat: reader.read<values.LogFormat>('LOG_FORMAT', isatty(1) ? 'pretty' : 'json', values.parseLogFormat),
    logRequests: reader.read<values.LoggedRequests>('LOG_REQUESTS', { which: 'all' }, values.parseLoggedRequests),
    /** Whether traces are sent, as the standard variables of OpenTelemetry say. */
    isTraced: readTracing(reader),
    /** `null` means that there are no limits. */
    rateLimits: reader.read<RateLimits | null>('RATE_LIMITS', DEFAULT_RATE_LIMITS, parseRateLimits),
    /** Whether clients without a credential may deploy. */
    anonymousDeploys: reader.read('ANONYMOUS_DEPLOYS', true, values.parseSwitch),
    /** The URL for reports of abuse, which may be a `mailto:` URL; `null` for none. */
    abuseContact: reader.read<string | null>('ABUSE_CONTACT', null, values.parseAbuseContact),
    /** The file extensions that deploys must not have, in lower case and without the dot. */
    blockedExtensions: reader.read<readonly string[]>(
      'BLOCKED_EXTENSIONS',
      BLOCKED_EXTENSIONS,
      values.parseBlockedExtensions,
    ),
    /** Whether published files are compressed in the background. */
    compression: reader.readInTests('COMPRESSION', true, values.parseSwitch),
    /** Whether the server runs its periodic jobs. */
    jobs: reader.readInTests('JOBS', true, values.parseSwitch),
    /** The name of the failpoint at which the process is killed; empty for none. */
    failpoint: reader.readInTests('FAILPOINT', '', String),
    /** How long the sweep waits before it removes something. A time that is absent has its default. */
    sweep: {
      ...reader.readInTests<{ graceMs?: number }>('SWEEP_GRACE', {}, (text) => ({
        graceMs: values.parseDuration(text),
      })),
      ...reader.readInTests<{ bootStaleMs?: number }>('BOOT_STALE', {}, (text) => ({
        bootStaleMs: values.parseDuration(text),
      })),
    },
  };
  if (config.objectStore && config.databaseUrl === null && reader.isSound('DATABASE_URL', 'DATABASE_URL_FILE'))
    reader.addFault(
      'DATABASE_URL',
      'the variable must be set with STORAGE_URL, because the embedded PostgreSQL is lost with its machine, and then the files in the bucket are of no use',
    );
  if (config.mode === 'production') refuseUnsafe(reader, config);
  reader.throwFaults();
  return config;
}

function readAddresses(reader: EnvironmentReader) {
  const port = reader.read('PORT', 4000, values.parsePort);
  const baseUrl = reader.read('BASE_URL', new URL(`http://localhost:${port}`), values.parseBaseUrl);
  const publicScheme: 'http' | 'https' = baseUrl.protocol === 'https:' ? 'https' : 'http';
  const domainOf = (text: string) => values.parsePlatformDomain(text, publicScheme);
  const platformDomain = reader.read('PLATFORM_DOMAIN', domainOf(`localhost:${port}`), domainOf);
  return {
    /** The port to listen on. After listening on port 0, read the configuration again with the assigned port. */
    port,
    /** The origin of the API and the console. */
    baseUrl,
    /** The scheme of `baseUrl`, which all URLs in responses use. */
    publicScheme,
    /** The host name of `baseUrl`, without a port. */
    apiHost: baseUrl.hostname,
    /** The domain below which sites are served, with a port if the URLs of sites contain one. */
    platformDomain,
    /** The host name of `platformDomain`, without a port. */
    platformHost: platformDomain.replace(/:\d+$/, ''),
  };
}

/** The SDK of OpenTelemetry reads its other variables itself. */
function readTracing(reader: EnvironmentReader): boolean {
  const endpoint = reader.read<string | null>('OTEL_EXPORTER_OTLP_ENDPOINT', null, values.parseCollector);
  const isDisabled = reader.read('OTEL_SDK_DISABLED', false, (text) => text.toLowerCase() === 'true');
  return endpoint !== null && !isDisabled;
}

/** Reads the ways to sign in besides links, passkeys and passwords. Source: api §10, §13. */
function readSignIn(reader: EnvironmentReader, { apiHost }: { apiHost: string }) {
  const smtpUrl = reader.readSecret<string | null>('SMTP_URL', null, values.parseSmtpUrl);
  const signUp = reader.read('SIGN_UP', false, values.parseSwitch);
  const oidc = readOidc(reader);
  if (signUp && smtpUrl === null && oidc === null && reader.isSound('SMTP_URL', 'SMTP_URL_FILE', 'OIDC_ISSUER'))
    reader.addFault(
      'SIGN_UP',
      'people sign up with a code by e-mail or an OpenID Connect provider; set SMTP_URL, or OIDC_ISSUER',
    );
  return {
    /** The mail server that sends sign-in codes; `null` for none. */
    smtpUrl,
    /** The sender of e-mails. */
    smtpFrom: reader.read('SMTP_FROM', `Berth <berth@${apiHost}>`, values.parseSender),
    /** The OpenID Connect provider; `null` for none. */
    oidc,
    /** Whether anyone can open an account. */
    signUp,
  };
}

function readOidc(reader: EnvironmentReader) {
  const issuer = reader.read<string | null>('OIDC_ISSUER', null, values.parseIssuer);
  const clientId = reader.read('OIDC_CLIENT_ID', '', String);
  const clientSecret = reader.readSecret('OIDC_CLIENT_SECRET', '', String);
  const name = reader.read('OIDC_NAME', '', values.parseProviderName);
  const missing = [
    ...(issuer === null ? ['OIDC_ISSUER'] : []),
    ...(clientId === '' ? ['OIDC_CLIENT_ID'] : []),
    ...(clientSecret === '' ? ['OIDC_CLIENT_SECRET'] : []),
  ];
  if (issuer !== null && missing.length === 0)
    return { issuer, clientId, clientSecret, name: name || new URL(issuer).hostname };
  const isSound = reader.isSound('OIDC_ISSUER', 'OIDC_CLIENT_SECRET', 'OIDC_CLIENT_SECRET_FILE');
  if (missing.length < 3 && isSound)
    for (const variable of missing)
      reader.addFault(variable, 'OIDC_ISSUER, OIDC_CLIENT_ID and OIDC_CLIENT_SECRET must be set together');
  return null;
}

/** Reads the settings of the listener for operators and proxies. Source: api §12; security T42. */
function readAdmin(reader: EnvironmentReader) {
  return {
    /** The address of the listener for operators and proxies; `null` for none. */
    adminListen: reader.read<values.ListenAddress | null>('ADMIN_LISTEN', null, values.parseListenAddress),
    /** The bearer token of the paths on that listener that need one; `null` for none. */
    adminToken: reader.readSecret<string | null>('ADMIN_TOKEN', null, values.parseAdminToken),
    /** The names for which `/tls-allowed` allows a certificate, in addition to the API's name. */
    tlsOnDemand: reader.read('TLS_ON_DEMAND', 'custom', values.parseTlsOnDemand),
    /** How long `/readyz` responds with 503 before the server stops accepting requests. */
    drainMs: 1_000 * reader.read('DRAIN_SECONDS', 0, values.parseSeconds),
  };
}

function readPlans(reader: EnvironmentReader) {
  const plans = reader.read<readonly Plan[]>('PLANS_FILE', DEFAULT_PLANS, (text) =>
    text === 'none' ? [] : readPlansFile(resolve(text)),
  );
  const findPlan = (id: string) => plans.find(({ plan }) => plan === id);
  const defaultPlan = reader.read('DEFAULT_PLAN', findPlan(ANONYMOUS_PLAN) ?? UNLIMITED_PLAN, (text) => {
    const plan = findPlan(text);
    if (plans.length === 0) throw new Error('the variable must not be set, because PLANS_FILE=none has no plans');
    if (!plan && reader.isSound('PLANS_FILE'))
      throw new Error(`${values.quote(text)} is not a plan; use one of ${plans.map((known) => known.plan).join(', ')}`);
    return plan!;
  });
  return {
    /** All plans, in display order. Empty if no account has caps. */
    plans,
    /** The plan of a new account. */
    defaultPlan,
    /** The plan of the owner's account. A plan table without `scale` uses its last plan instead. */
    ownerPlan: findPlan('scale') ?? plans.at(-1) ?? UNLIMITED_PLAN,
  };
}

type SafetyConfig = Pick<
  Config,
  'secretKey' | 'ownerApiKey' | 'platformHost' | 'apiHost' | 'adminListen' | 'adminToken'
>;

/** Adds a fault for each setting that is unsafe in production. Source: security T37, T42. */
function refuseUnsafe(reader: EnvironmentReader, config: SafetyConfig): void {
  const { secretKey, ownerApiKey, platformHost, apiHost, adminListen, adminToken } = config;
  if (secretKey && values.isSample(secretKey))
    reader.addFault(
      'SECRET_KEY',
      'the key must not be a sample; use 32 random bytes, such as the output of "openssl rand -hex 32"',
    );
  if (ownerApiKey && values.isSample(Buffer.from(ownerApiKey.replace(/^\w+-/, ''), 'hex')))
    reader.addFault(
      'OWNER_API_KEY',
      'the key must not be a sample; omit it to generate one, or use "ship-" and the output of "openssl rand -hex 16"',
    );
  if (
    adminListen &&
    !adminToken &&
    values.isPublic(adminListen.host) &&
    reader.isSound('ADMIN_TOKEN', 'ADMIN_TOKEN_FILE')
  )
    reader.addFault(
      'ADMIN_LISTEN',
      `other machines may reach ${adminListen.host}; set ADMIN_TOKEN, for example to the output of "openssl rand -hex 32", or use a loopback or private address`,
    );
  if (platformHost === apiHost && reader.isSound('BASE_URL', 'PLATFORM_DOMAIN'))
    reader.addFault(
      'PLATFORM_DOMAIN',
      `the domain must not be ${platformHost}, the host of BASE_URL; use a separate one, such as "sites.example.com"`,
    );
}
