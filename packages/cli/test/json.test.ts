import { join } from 'node:path';
import { useServer } from '@berth/testing/use-server';
import { describe, expect, it } from 'vitest';
import { createUser, envOf, writeFiles } from './user.ts';

/** Describes the type of each field of an object, in the order of the fields. */
type Shape = { [key: string]: Shape | Shape[] | string };

/** Describes an object whose fields all have the same type. */
const repeatedShape = (shape: string, fields: string): Shape =>
  Object.fromEntries(fields.split(' ').map((name) => [name, shape]));

const DEPLOYMENT: Shape = {
  ...repeatedShape('string', 'deployment url status via'),
  ...repeatedShape('number', 'files size created'),
  password: 'boolean',
  labels: 'list',
  expires: 'null',
  domains: 'list',
  takenDown: 'null',
};
const DOMAIN: Shape = {
  ...repeatedShape('string', 'domain url deployment status'),
  ...repeatedShape('number', 'created linked links'),
  labels: 'list',
};
const PENDING_DOMAIN: Shape = { ...DOMAIN, ...repeatedShape('null', 'deployment linked') };
const TOKEN: Shape = {
  ...repeatedShape('string', 'token kind'),
  labels: 'list',
  created: 'number',
  ...repeatedShape('null', 'expires used'),
};
const AMOUNT = repeatedShape('number', 'files bytes');
const ACCOUNT: Shape = {
  ...repeatedShape('string', 'account email plan hint authMethod'),
  ...repeatedShape('null', 'name caps scheduled'),
  usage: repeatedShape('number', 'deployments platformDomains customDomains seats storage'),
  created: 'number',
  used: 'number',
};
/** The fields of an activity. Those of `meta` depend on its event. */
const ACTIVITY: Shape = {
  ...repeatedShape('string', 'event token authMethod'),
  created: 'number',
  ...repeatedShape('null', 'deployment domain'),
  meta: 'object',
};
const CONFIG = repeatedShape('string', 'server serverFrom keyFrom file');
const PUBLISHED: Shape = {
  url: 'string',
  deployment: DEPLOYMENT,
  domain: 'null',
  claim: 'null',
  deleted: 'list',
  warnings: [{ file: 'string', line: 'null', at: 'null', message: 'string' }],
  changes: repeatedShape('number', 'added changed removed unchanged'),
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
  ['diff DIST ID', { deployment: 'string', added: 'list', changed: 'list', removed: 'list', unchanged: 'number' }],
  ['deployments get ID', { deployment: DEPLOYMENT }],
  ['deployments label ID v1.2', { deployment: DEPLOYMENT }],
  ['deployments update ID --no-password --no-ttl', { deployment: DEPLOYMENT }],
  ['files ID', { files: [{ path: 'string', size: 'number', sha256: 'string' }], more: 'boolean' }],
  [
    'versions blog',
    {
      domain: 'string',
      versions: [
        { ...repeatedShape('string', 'deployment by'), linked: 'number', unlinked: 'null', available: 'boolean' },
      ],
      more: 'boolean',
    },
  ],
  ['rollback blog --to ID', { domain: DOMAIN, before: 'string' }],
  ['rollback blog', { domain: DOMAIN, before: 'string' }],
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
  ['prune --keep 50 --yes', { deployments: 'list', deleted: 'boolean' }],
  ['domains delete www.waiting-for-dns.com', { domain: 'string' }],
  ['tokens create', { token: { ...TOKEN, secret: 'string' } }],
  ['tokens', { tokens: [TOKEN], more: 'boolean' }],
  ['tokens delete TOKEN', { token: 'string' }],
  ['account', { account: ACCOUNT }],
  ['activities --limit 1', { activities: [ACTIVITY], more: 'boolean' }],
  ['account rename Shop', { account: { ...ACCOUNT, name: 'string' } }],
  ['members', { members: [{ ...repeatedShape('string', 'member email role'), name: 'null', created: 'number' }] }],
  [
    'invites create grace@example.com',
    {
      invite: {
        ...repeatedShape('string', 'invite email role'),
        ...repeatedShape('number', 'created expires'),
        url: 'string',
        mailed: 'boolean',
      },
    },
  ],
  [
    'invites',
    { invites: [{ ...repeatedShape('string', 'invite email role'), ...repeatedShape('number', 'created expires') }] },
  ],
  ['invites delete INVITE', { invite: 'string' }],
  ['check', { server: 'string', checks: [{ ...repeatedShape('string', 'name status message'), next: 'null' }] }],
  [
    'preview DIST',
    {
      ...PUBLISHED,
      deployment: { ...DEPLOYMENT, expires: 'number' },
    },
  ],
  ['open', { url: 'string' }],
  ['whoami', repeatedShape('string', 'server kind from account')],
  ['config', CONFIG],
  ['config get server', CONFIG],
  ['config set server https://api.example.com', repeatedShape('string', 'server file')],
  ['logout', { server: 'string', forgotten: 'boolean' }],
];

const FAILURE: Shape = {
  error: {
    exit: 'number',
    ...repeatedShape('string', 'kind message'),
    ...repeatedShape('null', 'code status next file retryAfterSeconds details'),
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
    const openedUrls: string[] = [];
    const { home, runInProcess } = createUser(envOf(server()), { openPage: async (url) => void openedUrls.push(url) });
    const dist = writeFiles(join(home, 'dist'), { 'index.html': 'hi', '.hidden': 'x', '.env': 'SECRET=1' });
    const knownWords: Record<string, string> = { DIST: dist };
    for (const [words, shape] of SHAPES) {
      const { code, out, err } = await runInProcess(
        ...words.split(' ').map((word) => knownWords[word] ?? word),
        '--json',
      );
      expect({ words, code, err }).toEqual({ words, code: 0, err: '' });
      expect(out).toMatch(/^\{.*\}\n$/);
      const value = JSON.parse(out);
      expect({ words, shape: shapeOf(value) }).toEqual({ words, shape });
      expect(Object.keys(value)).toEqual(Object.keys(shape));
      knownWords['ID'] ??= value.deployment?.deployment;
      knownWords['TOKEN'] ??= value.token?.token;
      knownWords['INVITE'] ??= value.invite?.invite;
    }
    expect(openedUrls).toHaveLength(1);
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
