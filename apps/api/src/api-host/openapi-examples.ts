import { BLOCKED_EXTENSIONS, type Deployment, DEFAULT_PLANS, type Domain, type Token } from '@berth/contract';
import type { AppRouter } from '@berth/core';
import type { inferRouterInputs, inferRouterOutputs } from '@trpc/server';

type Inputs = inferRouterInputs<AppRouter>;
type Outputs = inferRouterOutputs<AppRouter>;
type Name = { [R in keyof Outputs & string]: `${R}.${keyof Outputs[R] & string}` }[keyof Outputs & string];
type At<T, N extends string> = N extends `${infer R}.${infer P}`
  ? R extends keyof T
    ? P extends keyof T[R]
      ? T[R][P]
      : never
    : never
  : never;

/** Example request and answer of an operation of the REST API. The examples of all operations share one story. */
export interface Example<Body = unknown, Answer = unknown> {
  /** Bodies, by their purpose. */
  bodies?: Record<string, Body>;
  answer: Answer;
}

type Examples = { [N in Exclude<Name, 'activities.watch'>]: Example<Partial<At<Inputs, N>>, At<Outputs, N>> };

const CREATED = 1_790_000_000;
const DAY = 86_400;

export const DEPLOYMENT: Deployment = {
  deployment: 'calm-otter-4k9x2qd',
  url: 'https://calm-otter-4k9x2qd.sites.example',
  files: 12,
  size: 48_213,
  status: 'success',
  password: false,
  via: 'cli',
  labels: ['us-east-1'],
  created: CREATED,
};

const DOMAIN: Domain = {
  domain: 'www.example.com',
  url: 'https://www.example.com',
  deployment: DEPLOYMENT.deployment,
  status: 'pending',
  labels: ['shop'],
  created: CREATED + 60,
  linked: CREATED + 60,
  links: 1,
};
const { domain } = DOMAIN;

const TOKEN: Token = {
  token: 'a1b2c3d',
  kind: 'deploy',
  labels: ['ci-main'],
  created: CREATED,
  expires: CREATED + 30 * DAY,
  used: null,
};

const TARGET = 'to-9x2k4qd.sites.example';
const HASH = '0123456789abcdef0123456789abcdef';
/** The name of an upload. */
export const UPLOAD = HASH;
const SHA256 = '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824';
const NEXT_CURSOR = 'q0mXvYt2WzE3OTAwMDAwMDBd';
const VALIDATION = { valid: true, normalized: domain, available: true, reason: null };

/** An example of every operation that is a procedure. The type ensures that none is missing. */
export const EXAMPLES: Examples = {
  'deployments.list': { answer: { deployments: [DEPLOYMENT], nextCursor: NEXT_CURSOR } },
  'deployments.get': { answer: DEPLOYMENT },
  'deployments.update': {
    bodies: { 'Set labels': { labels: ['us-east-1', 'release'] }, 'Clear the labels': { labels: [] } },
    answer: { ...DEPLOYMENT, labels: ['us-east-1', 'release'] },
  },
  'deployments.delete': { answer: { deployment: DEPLOYMENT.deployment, status: 'deleting' } },
  'deployments.begin': {
    bodies: {
      'Every file': { files: [{ path: 'index.html', size: 5, sha256: SHA256 }], labels: ['us-east-1'], via: 'cli' },
      'Changes to a deployment': {
        base: DEPLOYMENT.deployment,
        put: [{ path: 'index.html', size: 5, sha256: SHA256 }],
        remove: ['old.html'],
      },
    },
    answer: { upload: UPLOAD, missing: [SHA256] },
  },
  'deployments.commit': { answer: { ...DEPLOYMENT, files: 1, size: 5 } },
  'deployments.abort': { answer: { upload: UPLOAD } },
  'domains.put': {
    bodies: {
      'Create the domain and link it': { deployment: DEPLOYMENT.deployment, labels: ['shop'] },
      'Switch to another deployment': { deployment: 'brave-heron-7p3m1zw' },
      'Replace its labels': { labels: ['shop', 'summer'] },
    },
    answer: DOMAIN,
  },
  'domains.list': { answer: { domains: [DOMAIN], nextCursor: NEXT_CURSOR } },
  'domains.get': { answer: DOMAIN },
  'domains.delete': { answer: { domain } },
  'domains.validate': { bodies: { 'A name to check': { domain: 'WWW.Example.com' } }, answer: VALIDATION },
  'domains.validateNamed': { answer: VALIDATION },
  'domains.verify': {
    answer: {
      ...DOMAIN,
      checks: [
        {
          type: 'CNAME',
          name: domain,
          expected: [TARGET],
          found: ['parking.example.net'],
          ok: false,
          reason: `Saw "parking.example.net", want "${TARGET}".`,
        },
      ],
      nextCheck: CREATED + 180,
    },
  },
  'domains.dns': { answer: { domain, dns: { provider: { name: 'Cloudflare' } } } },
  'domains.records': { answer: { domain, apex: false, records: [{ type: 'CNAME', name: domain, value: TARGET }] } },
  'domains.share': {
    answer: { domain, hash: HASH, url: `https://berth.example/setup/${HASH}` },
  },
  'account.get': {
    answer: {
      account: 'acc-4k9x2qd7p3m1z',
      email: 'ada@example.com',
      name: 'Ada Lovelace',
      plan: 'pro',
      usage: { deployments: 42, platformDomains: 3, customDomains: 1, seats: 1, storage: 734_003_200 },
      caps: DEFAULT_PLANS[1]!.caps,
      created: CREATED - 90 * DAY,
      hint: '3f9a',
      authMethod: 'api-key',
    },
  },
  'account.claim': {
    bodies: {
      'The claim URL': { claim: `https://berth.example/claim/${HASH}` },
      'The claim hash': { claim: HASH },
    },
    answer: { ...DEPLOYMENT, via: 'api', labels: [] },
  },
  'activities.list': {
    answer: {
      activities: [
        {
          event: 'domain.create',
          created: CREATED + 60,
          deployment: DEPLOYMENT.deployment,
          domain,
          authMethod: 'api-key',
          meta: { labels: DOMAIN.labels },
        },
        {
          event: 'deployment.create',
          created: CREATED,
          deployment: DEPLOYMENT.deployment,
          authMethod: 'deploy-token',
          meta: { files: 12, size: 48_213, via: 'cli' },
        },
      ],
      nextCursor: NEXT_CURSOR,
    },
  },
  'labels.list': { answer: { labels: ['shop', 'us-east-1', 'ci-main'] } },
  'tokens.create': {
    bodies: {
      'A deploy token for 30 days': { kind: 'deploy', ttl: 30 * DAY, labels: TOKEN.labels },
      'A permanent API key': { kind: 'api' },
    },
    answer: { ...TOKEN, secret: 'deploy-<32 hexadecimal digits>' },
  },
  'tokens.list': { answer: { tokens: [{ ...TOKEN, used: CREATED + DAY }], nextCursor: NEXT_CURSOR } },
  'tokens.get': { answer: { ...TOKEN, used: CREATED + DAY } },
  'tokens.delete': { answer: { token: TOKEN.token } },
  'plans.list': {
    answer: { plans: DEFAULT_PLANS.map(({ plan, name, price, caps }) => ({ plan, name, price, caps })) },
  },
  'platform.limits': { answer: { ...DEFAULT_PLANS[0]!.limits, blockedExtensions: BLOCKED_EXTENSIONS.slice(0, 4) } },
  'platform.config': { answer: { location: '/limits' } },
  'platform.ping': { answer: { timestamp: CREATED } },
};
