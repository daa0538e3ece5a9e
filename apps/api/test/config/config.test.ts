import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { BLOCKED_EXTENSIONS, DEFAULT_PLANS } from '@berth/contract';
import { DEFAULT_RATE_LIMITS } from '@berth/core';
import { describe, expect, it } from 'vitest';
import { parseDuration } from '../../src/config/config-values.ts';
import { readConfig } from '../../src/config/config.ts';
import { faultsOf, PRODUCTION } from './faults.ts';

const KEY_HEX = '8f1c6bd0a94e2735cc58f0471e9b3d62a7055bfe19c84420d3976ae1bb0c5f38';
const API_KEY = 'ship-8f1c6bd0a94e2735cc58f0471e9b3d62';

describe('readConfig', () => {
  it('api §10: has a default for every variable, so that a server can start without any variable', () => {
    expect(readConfig({})).toEqual({
      mode: 'development',
      objectStore: null,
      hosts: ['127.0.0.1', '::1'],
      port: 4000,
      workers: 1,
      baseUrl: new URL('http://localhost:4000'),
      publicScheme: 'http',
      apiHost: 'localhost',
      platformDomain: 'localhost:4000',
      platformHost: 'localhost',
      cnameTarget: 'localhost',
      apexAddresses: [],
      dnsServers: [],
      claimUrl: 'http://localhost:4000/claim',
      dataDir: resolve('data'),
      consoleFolder: resolve('apps/web/dist'),
      spoolFolder: resolve('data/spool'),
      databaseUrl: null,
      ownerEmail: 'owner@localhost',
      ownerApiKey: null,
      ownerPlan: DEFAULT_PLANS[3],
      smtpUrl: null,
      smtpFrom: 'Berth <berth@localhost>',
      oidc: null,
      signUp: false,
      secretKey: null,
      trustedProxies: [],
      allowInsecure: false,
      staleMs: 0,
      adminListen: null,
      adminToken: null,
      tlsOnDemand: 'custom',
      drainMs: 0,
      logLevel: 'info',
      isTraced: false,
      logFormat: expect.stringMatching(/^(json|pretty)$/),
      logRequests: { which: 'all' },
      rateLimits: DEFAULT_RATE_LIMITS,
      anonymousDeploys: true,
      abuseContact: null,
      blockedExtensions: BLOCKED_EXTENSIONS,
      plans: DEFAULT_PLANS,
      defaultPlan: DEFAULT_PLANS[0],
      compression: true,
      jobs: true,
      failpoint: '',
      sweep: {},
    });
  });

  it('treats an empty variable as absent, ignores unknown variables, and trims values', () => {
    expect(readConfig({ PORT: '', SECRET_KEY: '  ', PATH: '/bin', NONSENSE: '1' })).toEqual(readConfig({}));
    expect(readConfig({ LOG_LEVEL: ' debug\n' }).logLevel).toBe('debug');
  });

  it('derives the default addresses from the port', () => {
    const { baseUrl, platformDomain, claimUrl } = readConfig({ PORT: '5123' });
    expect([baseUrl.href, platformDomain, claimUrl]).toEqual([
      'http://localhost:5123/',
      'localhost:5123',
      'http://localhost:5123/claim',
    ]);
    expect(readConfig({ PORT: '80' }).platformDomain).toBe('localhost');
    expect(readConfig({ PORT: '0' }).port).toBe(0);
  });

  it('derives the public scheme and the address of the claim page from BASE_URL', () => {
    const config = readConfig({ BASE_URL: 'https://API.Example.com/', PLATFORM_DOMAIN: 'Sites.Example.net:443' });
    expect(config).toMatchObject({
      publicScheme: 'https',
      apiHost: 'api.example.com',
      platformDomain: 'sites.example.net',
      platformHost: 'sites.example.net',
      claimUrl: 'https://api.example.com/claim',
    });
  });

  it.each([
    ['WORKERS', '4', { workers: 4 }],
    ['WORKERS', 'Auto', { workers: Math.min(availableParallelism(), 64) }],
    ['HOST', '0.0.0.0', { hosts: ['0.0.0.0'] }],
    ['HOST', '127.0.0.1, ::1,127.0.0.1,', { hosts: ['127.0.0.1', '::1'] }],
    ['PLATFORM_DOMAIN', 'sites.test:8080', { platformDomain: 'sites.test:8080', platformHost: 'sites.test' }],
    ['PLATFORM_DOMAIN', 'sites.test.:8080', { platformDomain: 'sites.test:8080' }],
    ['PLATFORM_DOMAIN', 'bücher.example', { platformDomain: 'xn--bcher-kva.example' }],
    ['PLATFORM_DOMAIN', 'sites.test:8080', { cnameTarget: 'sites.test' }],
    ['CNAME_TARGET', 'CNAME.Example.com.', { cnameTarget: 'cname.example.com' }],
    ['BLOCKED_EXTENSIONS', 'none', { blockedExtensions: [] }],
    ['BLOCKED_EXTENSIONS', 'EXE, .msi,c++,exe', { blockedExtensions: ['exe', 'msi', 'c++'] }],
    ['APEX_ADDRESSES', '192.0.2.10, 2001:DB8:0::10,192.0.2.10', { apexAddresses: ['192.0.2.10', '2001:db8::10'] }],
    [
      'DNS_SERVERS',
      '192.0.2.53, 192.0.2.54:5353,2001:DB8::53, [2001:db8::53]:5353',
      { dnsServers: ['192.0.2.53:53', '192.0.2.54:5353', '[2001:db8::53]:53', '[2001:db8::53]:5353'] },
    ],
    ['CLAIM_URL', 'https://console.example/c/', { claimUrl: 'https://console.example/c' }],
    ['DATA_DIR', '/srv/berth/', { dataDir: '/srv/berth' }],
    ['DATABASE_URL', 'postgres://u:p%40ss@db:5432/berth', { databaseUrl: 'postgres://u:p%40ss@db:5432/berth' }],
    [
      'DATABASE_URL',
      'postgresql:///berth?host=/run/postgresql',
      { databaseUrl: 'postgresql:///berth?host=/run/postgresql' },
    ],
    ['OWNER_EMAIL', 'jo@example.com', { ownerEmail: 'jo@example.com' }],
    ['OWNER_API_KEY', API_KEY, { ownerApiKey: API_KEY }],
    ['SECRET_KEY', KEY_HEX, { secretKey: Buffer.from(KEY_HEX, 'hex') }],
    ['SECRET_KEY', Buffer.from(KEY_HEX, 'hex').toString('base64'), { secretKey: Buffer.from(KEY_HEX, 'hex') }],
    ['SECRET_KEY', Buffer.from(KEY_HEX, 'hex').toString('base64url'), { secretKey: Buffer.from(KEY_HEX, 'hex') }],
    [
      'TRUST_PROXY',
      '10.0.0.7, 10.1.0.0/16, FD00:0::1, fd00::/8, ::1',
      { trustedProxies: ['10.0.0.7', '10.1.0.0/16', 'fd00::1', 'fd00::/8', '::1'] },
    ],
    ['ANONYMOUS_DEPLOYS', 'off', { anonymousDeploys: false }],
    ['ABUSE_CONTACT', 'abuse@example.com', { abuseContact: 'mailto:abuse@example.com' }],
    ['ABUSE_CONTACT', 'MAILTO:abuse@example.com', { abuseContact: 'mailto:abuse@example.com' }],
    [
      'ABUSE_CONTACT',
      'https://example.com/report?from=berth',
      { abuseContact: 'https://example.com/report?from=berth' },
    ],
    ['ALLOW_INSECURE', '1', { allowInsecure: true }],
    ['ALLOW_INSECURE', 'True', { allowInsecure: true }],
    ['ALLOW_INSECURE', 'off', { allowInsecure: false }],
    ['STALE_SECONDS', '60', { staleMs: 60_000 }],
    ['LOG_LEVEL', 'WARN', { logLevel: 'warn' }],
    ['DEFAULT_PLAN', 'team', { defaultPlan: DEFAULT_PLANS[2] }],
  ])('accepts %s=%s', (variable, text, expected) => {
    expect(readConfig({ [variable]: text })).toMatchObject(expected);
  });

  it.each([
    ['HOST', 'localhost', /^HOST: "localhost" is not an IP address; list addresses, such as "127.0.0.1, ::1"/],
    ['PORT', 'http', /^PORT: "http" is not a port; use a number from 1 to 65535/],
    ['PORT', '65536', /^PORT: "65536"/],
    ['PORT', '-1', /^PORT: "-1"/],
    ['PORT', '0x50', /^PORT: "0x50"/],
    ['WORKERS', '0', /^WORKERS: "0" is not a number of processes; use one from 1 to 64, or "auto" for one per core/],
    ['WORKERS', '65', /^WORKERS: "65"/],
    ['WORKERS', '1.5', /^WORKERS: "1.5"/],
    ['WORKERS', 'all', /^WORKERS: "all"/],
    ['BASE_URL', 'localhost:4000', /^BASE_URL: "localhost:4000" is not an http or https URL; use one such as/],
    ['BASE_URL', 'https://example.com/api', /^BASE_URL: .* has a path; use only the origin: https:\/\/example.com/],
    ['BASE_URL', 'https://example.com?a', /^BASE_URL: has a user, a query or a fragment/],
    ['BASE_URL', 'https://jo@example.com', /^BASE_URL: has a user/],
    ['BASE_URL', 'http://[::1]:4000', /^BASE_URL: .* has no usable host/],
    ['BASE_URL', 'http://exa_mple.com', /^BASE_URL: .* has no usable host/],
    [
      'PLATFORM_DOMAIN',
      'https://sites.test',
      /^PLATFORM_DOMAIN: .* is not a domain name; use one without scheme and path/,
    ],
    ['PLATFORM_DOMAIN', 'sites.test/x', /^PLATFORM_DOMAIN:/],
    ['PLATFORM_DOMAIN', '127.0.0.1:4000', /^PLATFORM_DOMAIN:/],
    ['PLATFORM_DOMAIN', '-sites.test', /^PLATFORM_DOMAIN:/],
    ['PLATFORM_DOMAIN', '*.sites.test', /^PLATFORM_DOMAIN:/],
    ['PLATFORM_DOMAIN', `${'a.'.repeat(100)}test`, /^PLATFORM_DOMAIN: the domain must have at most 189 characters/],
    ['CNAME_TARGET', 'cname.test:8080', /^CNAME_TARGET: "cname.test:8080" is not a host name; use one such as/],
    ['CNAME_TARGET', 'https://cname.test', /^CNAME_TARGET:/],
    ['CNAME_TARGET', '192.0.2.10', /^CNAME_TARGET:/],
    ['CNAME_TARGET', '*.cname.test', /^CNAME_TARGET:/],
    ['CNAME_TARGET', `${'a.'.repeat(120)}test`, /^CNAME_TARGET: the host must have at most 242 characters/],
    [
      'APEX_ADDRESSES',
      '192.0.2.10, sites.test',
      /^APEX_ADDRESSES: "sites.test" is not an address that a domain can point at; list/,
    ],
    [
      'BLOCKED_EXTENSIONS',
      'exe, tar.gz',
      /^BLOCKED_EXTENSIONS: "tar.gz" is not a file extension; list extensions of 1 to 32 letters/,
    ],
    ['BLOCKED_EXTENSIONS', 'exe msi', /^BLOCKED_EXTENSIONS: "exe msi" is not a file extension/],
    ['BLOCKED_EXTENSIONS', 'x'.repeat(33), /^BLOCKED_EXTENSIONS:/],
    ['BLOCKED_EXTENSIONS', ',', /^BLOCKED_EXTENSIONS: the list must have 1 to 500 file extensions/],
    [
      'BLOCKED_EXTENSIONS',
      Array.from({ length: 501 }, (_, at) => `x${at}`).join(','),
      /^BLOCKED_EXTENSIONS: the list must have 1 to 500 file extensions/,
    ],
    ['APEX_ADDRESSES', '0.0.0.0', /^APEX_ADDRESSES:/],
    ['APEX_ADDRESSES', '0::0', /^APEX_ADDRESSES:/],
    ['APEX_ADDRESSES', '192.0.2.0/24', /^APEX_ADDRESSES:/],
    ['DNS_SERVERS', 'dns.test', /^DNS_SERVERS: "dns.test" is not the address of a DNS server; list IP addresses/],
    ['DNS_SERVERS', '192.0.2.53:0', /^DNS_SERVERS:/],
    ['DNS_SERVERS', '[192.0.2.53]:53', /^DNS_SERVERS:/],
    ['DNS_SERVERS', '[2001:db8::53', /^DNS_SERVERS:/],
    ['CLAIM_URL', 'console.example/claim', /^CLAIM_URL:/],
    ['CLAIM_URL', 'https://console.example/claim?x=1', /^CLAIM_URL:/],
    ['DATABASE_URL', 'mysql://u:hidden@db/berth', /^DATABASE_URL: the value must be a PostgreSQL URL like "postgres:/],
    ['OWNER_EMAIL', 'jo', /^OWNER_EMAIL: "jo" is not an e-mail address; use "name@host" of at most 254 characters/],
    ['OWNER_EMAIL', `${'a'.repeat(250)}@test`, /^OWNER_EMAIL: .* at most 254 characters/],
    ['PLATFORM_DOMAIN', `${'a'.repeat(64)}.test`, /^PLATFORM_DOMAIN: .* parts of 1 to 63 letters, digits and hyphens/],
    ['BASE_URL', `http://${'a.'.repeat(200)}test`, /^BASE_URL: .* a name of at most 253 characters/],
    ['DNS_SERVERS', '192.0.2.53:65536', /^DNS_SERVERS: .* a port from 1 to 65535/],
    ['TRUST_PROXY', '10.0.0.0/7', /^TRUST_PROXY: .* for IPv4 \/8 or narrower/],
    ['TRUST_PROXY', 'fc00::/6', /^TRUST_PROXY: .* for IPv6 \/7 or narrower/],
    ['TRUST_PROXY', '10.0.0.0/33', /^TRUST_PROXY: .* use \/8 to \/32 for IPv4/],
    ['TRUST_PROXY', 'fd00::/129', /^TRUST_PROXY: .* use \/7 to \/128 for IPv6/],
    [
      'STALE_SECONDS',
      '86401',
      /^STALE_SECONDS: "86401" is not a number of seconds; use a whole number from 0 to 86400/,
    ],
    ['STALE_SECONDS', '-1', /^STALE_SECONDS: "-1"/],
    ['STALE_SECONDS', '1.5', /^STALE_SECONDS: "1.5"/],
    ['STALE_SECONDS', '60s', /^STALE_SECONDS: "60s"/],
    ['OWNER_API_KEY', 'deploy-8f1c6bd0a94e2735cc58f0471e9b3d62', /^OWNER_API_KEY: the key must be "ship-" and 32/],
    ['OWNER_API_KEY', 'hidden', /^OWNER_API_KEY: the key must be "ship-"/],
    ['ALLOW_INSECURE', 'maybe', /^ALLOW_INSECURE: "maybe" is neither on nor off; use 1 or 0/],
    ['SECRET_KEY', 'hidden', /^SECRET_KEY: the key must be 32 bytes: 64 hex digits/],
    ['SECRET_KEY', KEY_HEX.slice(2), /^SECRET_KEY: the key must be 32 bytes/],
    [
      'LOG_LEVEL',
      'loud',
      /^LOG_LEVEL: "loud" is not a level; use one of trace, debug, info, warn, error, fatal, silent/,
    ],
    ['DEFAULT_PLAN', 'gold', /^DEFAULT_PLAN: "gold" is not a plan; use one of free, pro, team, scale/],
    ['PLANS_FILE', '/nowhere/plans.json', /^PLANS_FILE: \/nowhere\/plans.json cannot be read \(ENOENT\)/],
  ])('rejects %s=%s and says what would be valid', (variable, text, message) => {
    const faults = faultsOf({ [variable]: text });
    expect(faults).toEqual([expect.stringMatching(message)]);
    expect(faults[0]).not.toContain('hidden');
  });

  it.each([
    'true',
    '*',
    '1',
    '2',
    'loopback',
    '0.0.0.0/0',
    '::/0',
    '0.0.0.0/1',
    '2000::/3',
    '::ffff:0:0/96',
    '0:0:0:0:0:ffff:0:0/96',
    '::/80',
    '10.0.0.0/33',
    '10.0.0.0/8/8',
    'proxy.test',
    '127.1',
  ])('T12: rejects TRUST_PROXY=%s, which is not a proxy or trusts everyone', (text) => {
    expect(faultsOf({ TRUST_PROXY: `10.0.0.1, ${text}` })).toEqual([expect.stringMatching(/^TRUST_PROXY: /)]);
  });

  it('api §10: reports all faults at once, one on each line', () => {
    const faults = faultsOf({ PORT: 'x', HOST: 'y', LOG_LEVEL: 'z', BASE_URL: 'a\r\nb' });
    expect(faults.map((line) => line.split(':')[0]).toSorted()).toEqual(['BASE_URL', 'HOST', 'LOG_LEVEL', 'PORT']);
  });

  it('accepts the settings for tests only if NODE_ENV is test', () => {
    const settings = {
      FAILPOINT: 'deploy.committed:2',
      SWEEP_GRACE: '0s',
      BOOT_STALE: '500ms',
      COMPRESSION: 'off',
      JOBS: 'off',
    };
    expect(readConfig({ ...settings, NODE_ENV: 'test' })).toMatchObject({
      compression: false,
      jobs: false,
      failpoint: 'deploy.committed:2',
      sweep: { graceMs: 0, bootStaleMs: 500 },
    });
    expect(readConfig({ NODE_ENV: 'test' })).toMatchObject({ failpoint: '', sweep: {} });
    expect(readConfig(settings)).toEqual(readConfig({}));
    expect(readConfig({ ...PRODUCTION, ...settings, SWEEP_GRACE: 'typo' })).toMatchObject({ failpoint: '', sweep: {} });
    expect(faultsOf({ NODE_ENV: 'test', SWEEP_GRACE: '24' })).toEqual([
      expect.stringMatching(/^SWEEP_GRACE: "24" is not a duration; .* "24h"/),
    ]);
  });
});

it.each([
  'javascript:alert(1)',
  'abuse',
  'a b@example.com',
  'https://user:secret@example.com/',
  `a@${'x'.repeat(500)}`,
])('api §10: rejects ABUSE_CONTACT=%s, which is neither an e-mail address nor a URL', (text) => {
  expect(faultsOf({ ABUSE_CONTACT: text })).toEqual([expect.stringMatching(/^ABUSE_CONTACT: the contact must be /)]);
});

describe('T37: a server in production', () => {
  it('starts if the domain for sites is not the host of the API', () => {
    expect(readConfig(PRODUCTION).mode).toBe('production');
    expect(faultsOf({ ...PRODUCTION, SECRET_KEY: KEY_HEX, OWNER_API_KEY: API_KEY })).toEqual([]);
  });

  it('starts on plain http, because a proxy may add https', () => {
    expect(readConfig({ ...PRODUCTION, BASE_URL: 'http://api.example.com' }).publicScheme).toBe('http');
  });

  it.each([
    [
      'the default addresses',
      { BASE_URL: '', PLATFORM_DOMAIN: '' },
      /^PLATFORM_DOMAIN: the domain must not be localhost, the host of BASE_URL; use a separate/,
    ],
    [
      'one host for API and sites',
      { PLATFORM_DOMAIN: 'API.example.com:8443' },
      /^PLATFORM_DOMAIN: the domain must not be api.example.com/,
    ],
    ['a secret of zeros', { SECRET_KEY: '0'.repeat(64) }, /^SECRET_KEY: the key must not be a sample; use 32/],
    [
      'a secret of counted bytes',
      { SECRET_KEY: Buffer.from(Array.from({ length: 32 }, (_, i) => i)).toString('hex') },
      /^SECRET_KEY: the key must not be a sample/,
    ],
    ['a repeated secret', { SECRET_KEY: '0123456789abcdef'.repeat(4) }, /^SECRET_KEY: the key must not be a sample/],
    [
      'a sample API key',
      { OWNER_API_KEY: `ship-${'0123456789abcdef'.repeat(2)}` },
      /^OWNER_API_KEY: the key must not be a sample; omit it/,
    ],
  ])('rejects %s with one message', (_, env, message) => {
    expect(faultsOf({ ...PRODUCTION, ...env })).toEqual([expect.stringMatching(message)]);
  });

  it('reports an invalid value, but no fault of the default that replaces it', () => {
    expect(faultsOf({ NODE_ENV: 'production', BASE_URL: 'x' })).toEqual([expect.stringMatching(/^BASE_URL: /)]);
  });
});

describe('parseDuration', () => {
  it.each([
    ['500ms', 500],
    ['30s', 30_000],
    ['10min', 600_000],
    ['24h', 86_400_000],
    ['7d', 604_800_000],
    ['0s', 0],
    ['5 min', 300_000],
  ])('api §10: reads %s as %i ms', (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
  });

  it.each(['', '5', 's', '-1s', '1.5h', '1e3s', '5m', '5 minutes', '1h30min', '9999999999d'])(
    'rejects %j and says what would be valid',
    (text) => {
      expect(() => parseDuration(text)).toThrow(
        /is not a duration; use a number of at most 9 digits and a unit, such as "500ms"/,
      );
    },
  );
});
