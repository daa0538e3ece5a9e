import { join } from 'node:path';
import { useServer } from '@berth/testing/use-server';
import { describe, expect, it } from 'vitest';
import { createUser, envOf, writeFiles } from './user.ts';

/** Describes the type of each field of an object, in the order of the fields. */
type Shape = { [key: string]: Shape | Shape[] | string };

/** Describes an object whose fields all have the same type. */
const all = (shape: string, fields: string): Shape =>
  Object.fromEntries(fields.split(' ').map((name) => [name, shape]));

const DEPLOYMENT: Shape = {
  ...all('string', 'deployment url status via'),
  ...all('number', 'files size created'),
  password: 'boolean',
  labels: 'list',
  expires: 'null',
  domains: 'list',
  takenDown: 'null',
};
const DOMAIN: Shape = {
  ...all('string', 'domain url deployment status'),
  ...all('number', 'created linked links'),
  labels: 'list',
};
const PENDING_DOMAIN: Shape = { ...DOMAIN, ...all('null', 'deployment linked') };
const TOKEN: Shape = {
  ...all('string', 'token kind'),
  labels: 'list',
  created: 'number',
  ...all('null', 'expires used'),
};
const AMOUNT = all('number', 'files bytes');
const ACCOUNT: Shape = {
  ...all('string', 'account email plan hint authMethod'),
  ...all('null', 'name caps'),
  usage: all('number', 'deployments platformDomains customDomains seats storage'),
  created: 'number',
  used: 'number',
};
/** The fields of an activity. Those of `meta` depend on its event. */
const ACTIVITY: Shape = {
  ...all('string', 'event token authMethod'),
  created: 'number',
  ...all('null', 'deployment domain'),
  meta: 'object',
};
const CONFIG = all('string', 'server serverFrom keyFrom file');
const PUBLISHED: Shape = {
  url: 'string',
  deployment: DEPLOYMENT,
  domain: 'null',
  claim: 'null',
  warnings: [{ file: 'string', line: 'null', at: 'null', message: 'string' }],
  changes: all('number', 'added changed removed unchanged'),
  sent: { via: 'string', files: 'number', bytes: 'number' },
  skipped: [{ path: 'string', reason: 'string' }],
};

/** The documented output of each command with `--json`. The commands run in this order. */
const SHAPES: [words: string, shape: Shape][] = [
  ['DIST', PUBLISHED],
  ['DIST --domain blog', { ...PUBLISHED, domain: DOMAIN }],
  [
    'DIST --dry-run',
    {
      changes: { added: 'list', changed: 'list', removed: 'list', unchanged: 'number' },
      total: AMOUNT,
      missing: AMOUNT,
      skipped: [{ path: 'string', reason: 'string' }],
    },
  ],
  ['deployments', { deployments: [DEPLOYMENT], more: 'boolean' }],
  ['deployments list --limit 1', { deployments: [DEPLOYMENT], more: 'boolean' }],
  ['deployments --label v1.2 --domain blog', { deployments: 'list', more: 'boolean' }],
  ['deployments get ID', { deployment: DEPLOYMENT }],
  ['deployments label ID v1.2', { deployment: DEPLOYMENT }],
  ['deployments update ID --no-password --no-ttl', { deployment: DEPLOYMENT }],
  ['files ID', { files: [{ path: 'string', size: 'number', sha256: 'string' }], more: 'boolean' }],
  ['deployments delete ID', { deployment: 'string', status: 'string' }],
  ['domains', { domains: [DOMAIN], more: 'boolean' }],
  ['domains set www.waiting-for-dns.com', { domain: PENDING_DOMAIN }],
  [
    'domains records www.waiting-for-dns.com',
    { domain: 'string', apex: 'boolean', records: [{ type: 'string', name: 'string', value: 'string' }] },
  ],
  [
    'domains verify www.waiting-for-dns.com',
    {
      domain: PENDING_DOMAIN,
      checks: [{ type: 'string', name: 'string', expected: 'list', found: 'list', ok: 'boolean', reason: 'string' }],
      nextCheck: 'number',
    },
  ],
  ['domains share www.waiting-for-dns.com', { domain: 'string', url: 'string' }],
  ['domains get www.waiting-for-dns.com', { domain: PENDING_DOMAIN }],
  [
    'domains validate www.free-name.com',
    { valid: 'boolean', normalized: 'string', available: 'boolean', reason: 'null' },
  ],
  ['domains delete www.waiting-for-dns.com', { domain: 'string' }],
  ['tokens create', { token: { ...TOKEN, secret: 'string' } }],
  ['tokens', { tokens: [TOKEN], more: 'boolean' }],
  ['tokens delete TOKEN', { token: 'string' }],
  ['account', { account: ACCOUNT }],
  ['activities --limit 1', { activities: [ACTIVITY], more: 'boolean' }],
  ['check', { server: 'string', checks: [{ ...all('string', 'name status message'), next: 'null' }] }],
  [
    'preview DIST',
    {
      ...PUBLISHED,
      deployment: { ...DEPLOYMENT, expires: 'number' },
    },
  ],
  ['open', { url: 'string' }],
  ['whoami', all('string', 'server kind from account')],
  ['config', CONFIG],
  ['config get server', CONFIG],
  ['config set server https://api.example.com', all('string', 'server file')],
  ['logout', { server: 'string', forgotten: 'boolean' }],
];

const FAILURE: Shape = {
  error: {
    exit: 'number',
    ...all('string', 'kind message'),
    ...all('null', 'code status next file retryAfterSeconds details'),
  },
};

/** Describes the type of a value. A list is described by its first element, or as `list` if it contains no objects. */
function shapeOf(value: unknown): Shape | Shape[] | string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return typeof value[0] === 'object' ? [shapeOf(value[0]) as Shape] : 'list';
  if (typeof value !== 'object') return typeof value;
  return Object.fromEntries(
    Object.entries(value!).map(([key, inner]) => [key, key === 'meta' ? typeof inner : shapeOf(inner)]),
  );
}

describe('--json', () => {
  const server = useServer();

  it('prints one object in a stable shape on one line, for every command', async () => {
    const opened: string[] = [];
    const { home, runInProcess } = createUser(envOf(server()), { openPage: async (url) => void opened.push(url) });
    const dist = writeFiles(join(home, 'dist'), { 'index.html': 'hi', '.hidden': 'x', '.env': 'SECRET=1' });
    const known: Record<string, string> = { DIST: dist };
    for (const [words, shape] of SHAPES) {
      const { code, out, err } = await runInProcess(...words.split(' ').map((word) => known[word] ?? word), '--json');
      expect({ words, code, err }).toEqual({ words, code: 0, err: '' });
      expect(out).toMatch(/^\{.*\}\n$/);
      const value = JSON.parse(out);
      expect({ words, shape: shapeOf(value) }).toEqual({ words, shape });
      expect(Object.keys(value)).toEqual(Object.keys(shape));
      known['ID'] ??= value.deployment?.deployment;
      known['TOKEN'] ??= value.token?.token;
    }
    expect(opened).toHaveLength(1);
  });

  it('prints the claim link of a deploy without an account', async () => {
    const { home, runInProcess } = createUser({ BERTH_SERVER: `http://localhost:${server().port}` });
    const { out, err } = await runInProcess(writeFiles(join(home, 'dist'), { 'index.html': 'hi' }), '--json');
    expect(err).toBe('');
    expect(JSON.parse(out)).toMatchObject({
      claim: expect.stringMatching(/^http:.+\/claim\/[0-9a-f]{32}$/),
      deployment: { expires: expect.any(Number) },
    });
  });

  it('prints errors on standard error, in a stable shape', async () => {
    const { runInProcess } = createUser();
    for (const words of [['deploymnts'], ['domains', 'lst'], ['./dist', '--ttl', '3'], ['--nothing']]) {
      const { out, err } = await runInProcess(...words, '--json');
      expect(out).toBe('');
      expect(shapeOf(JSON.parse(err))).toEqual(FAILURE);
    }
  });
});
