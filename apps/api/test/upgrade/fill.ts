import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { BegunUpload } from '@berth/contract';
import { begin, bodyOf, publishDelta, send } from '@berth/testing/delta';
import type { Records } from '@berth/testing/dns-server';
import { type Files, type HttpResponse, OWNER_KEY, type TestClient } from '@berth/testing/requests';
import { listOf } from '@berth/testing/uploads';

const run = promisify(execFile);

/** What people keep outside of the installation, and what an upgrade must not invalidate. */
export interface Keepsakes {
  /** API keys of the accounts, by their names. */
  keys: Record<string, string>;
  deployTokens: string[];
  /** A deploy token that was revoked. */
  revokedToken: string;
  /** A site with a password, and a cookie that unlocks it. */
  protectedSite: { deployment: string; password: string; cookie: string };
  /** The first page of some activities, and its cursor. */
  cursor: string;
  /** A repeated request gets the stored answer. */
  idempotent: { key: string; files: Record<string, string>; deployment: string };
  /** An upload that lacks one content. */
  openUpload: { upload: string; missing: string; text: string };
  claim: string;
  /** Deployments that visitors must not get, by the reason. */
  gone: Record<string, string>;
}

export interface FilledServer extends TestClient {
  /** The records of the DNS server that the server asks. */
  zone: Map<string, Records | 'SERVFAIL' | 'REFUSED' | 'silence' | 'wrong id'>;
  /** The program and the environment of the operator's commands. */
  operator: string;
  env: Record<string, string>;
}

const PASSWORD = 'open sesame';
const APEX_ADDRESS = '192.0.2.10';
const PARTIAL_DOMAIN = 'partial-site.org';
/** The settings of the server on which the content depends. */
export const FILL_SETTINGS = { CNAME_TARGET: 'cname.example.com', APEX_ADDRESSES: APEX_ADDRESS };

/** Text that compresses well, of a size that large sites have. */
const text = (words: string, times: number) => `${words} `.repeat(times);
const page = (title: string) => `<!doctype html><title>${title}</title><h1>${title}</h1>`;

/** Creates content of every kind on an empty installation. */
export async function fill(server: FilledServer): Promise<Keepsakes> {
  const keys: Record<string, string> = { owner: OWNER_KEY };
  const operate = async (...words: string[]) =>
    (await run(process.execPath, [server.operator, ...words], { env: server.env })).stdout.trim();
  for (const [name, plan] of [
    ['ada', 'team'],
    ['bob', 'pro'],
    ['carol', 'free'],
  ] as const) {
    await operate('accounts', 'create', `${name}@example.com`, '--plan', plan, '--name', name);
    keys[name] = await operate('keys', 'create', `${name}@example.com`);
  }
  await operate('members', 'add', 'ada@example.com', 'grace@example.com');
  const [ada, bob, carol] = [keys['ada']!, keys['bob']!, keys['carol']!];
  const request = async (method: string, path: string, key: string, json?: object) =>
    expectSuccess(await server.api(path, { method, key, json }));

  const first = await server.publish(manyFiles(), { key: ada, fields: { labels: '["shop","summer"]' } });
  const second = await server.publish({ ...manyFiles(), 'index.html': page('second') }, { key: ada });
  await publishDelta(server, { 'index.html': page('delta'), 'a.txt': text('delta', 900) }, {}, { key: ada });
  for (const { deployment } of [first, second, first])
    await request('PUT', '/domains/shop.localhost', ada, { deployment, labels: ['shop'] });
  await server.publish({ 'index.html': page('blog') }, { key: ada, fields: { domain: 'blog.localhost' } });
  await request('PUT', '/domains/empty.localhost', ada, {});
  const protectedSite = await server.publish(
    { 'index.html': page('secret') },
    { key: ada, fields: { password: PASSWORD } },
  );
  const unlocked = await server.visit(protectedSite.deployment, '/.berth/unlock', {
    method: 'POST',
    body: new URLSearchParams({ password: PASSWORD }).toString(),
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
  });

  await request('PUT', '/domains/pending.bob-site.org', bob, { deployment: await publishPage(server, bob, 'pending') });
  const custom = await publishPage(server, bob, 'custom');
  for (const domain of ['www.bob-site.org', PARTIAL_DOMAIN, 'bob-apex.org'])
    await addCustomDomain(server, bob, domain, custom);
  await operate('plans', 'set', 'ada@example.com', 'pro');

  const takenDown = await publishPage(server, carol, 'phishing');
  await operate('sites', 'take-down', takenDown, '--reason', 'Phishing');
  const deleted = await publishPage(server, bob, 'deleted');
  await request('DELETE', `/deployments/${deleted}`, bob);
  await publishPage(server, carol, 'limited', { ttl: '86400' });

  const token = (json: object) => request('POST', '/tokens', ada, json);
  const tokens = [
    await token({ labels: ['ci-main'], ttl: 365 * 86_400 }),
    await token({ domains: ['blog.localhost'], keep: 3 }),
    await token({}),
  ];
  await request('DELETE', `/tokens/${tokens[2]!['token']}`, ada);

  const idempotentFiles = { 'index.html': page('once') };
  const once = await server.publish(idempotentFiles, { key: bob, headers: { 'Idempotency-Key': 'upgrade' } });
  const anonymous = await server.publish({ 'index.html': page('anonymous') }, { key: null });
  const openUpload = await leaveUploadOpen(server, ada);
  await addStoppedAccounts(server, operate, keys);
  await untilCompressed(server, first.deployment);
  const { nextCursor } = await request('GET', '/activities?limit=3', ada);
  return {
    keys,
    deployTokens: tokens.slice(0, 2).map(({ secret }) => secret!),
    revokedToken: tokens[2]!['secret']!,
    protectedSite: {
      deployment: protectedSite.deployment,
      password: PASSWORD,
      cookie: unlocked.headers['set-cookie']![0]!.split(';')[0]!,
    },
    cursor: nextCursor!,
    idempotent: { key: 'upgrade', files: idempotentFiles, deployment: once.deployment },
    openUpload,
    claim: anonymous.claim!,
    gone: { takenDown, deleted },
  };
}

/** Files that fill a pack, with duplicates, compressed forms, rules, an empty file and an unusual name. */
function manyFiles(): Files {
  return {
    'index.html': page('first'),
    'app.js': text('const answer = 42;', 3_000),
    'copy.js': text('const answer = 42;', 3_000),
    'styles/main.css': text('body { margin: 0 }', 500),
    'grüße/日本.txt': 'Ahoy',
    empty: '',
    'image.bin': Buffer.from(Array.from({ length: 20_000 }, (_, i) => (i * i * 31 + (i >> 3)) % 251)),
    '404.html': page('missing'),
    _redirects: '/old /index.html 301\n',
    _headers: '/*\n  X-Upgrade: yes\n',
  };
}

async function publishPage(
  server: FilledServer,
  key: string,
  title: string,
  fields: Record<string, string> = {},
): Promise<string> {
  return (await server.publish({ 'index.html': page(title) }, { key, fields })).deployment;
}

/** Adds a custom domain with its DNS records. {@link PARTIAL_DOMAIN} lacks one of them. */
async function addCustomDomain(server: FilledServer, key: string, domain: string, deployment: string): Promise<void> {
  expectSuccess(await server.api(`/domains/${domain}`, { method: 'PUT', key, json: { deployment } }));
  const { records } = (await server.api(`/domains/${domain}/records`, { key })).json<{
    records: { type: 'A' | 'CNAME' | 'TXT'; name: string; value: string }[];
  }>();
  for (const { type, name, value } of records) {
    if (type === 'TXT' && domain === PARTIAL_DOMAIN) continue;
    const host = name.endsWith(domain) ? name : domain;
    server.zone.set(host, { ...(server.zone.get(host) as object), [type]: type === 'CNAME' ? value : [value] });
  }
  expectSuccess(await server.api(`/domains/${domain}/verify`, { method: 'POST', key, json: {} }));
}

async function leaveUploadOpen(server: FilledServer, key: string): Promise<Keepsakes['openUpload']> {
  const texts = { 'index.html': page('open upload'), 'b.txt': 'not sent yet' };
  const { upload } = (await begin(server, { files: listOf(texts) }, { key })).json<BegunUpload>();
  expectSuccess(await send(server, upload, bodyOf([texts['index.html']]), { key }));
  return { upload, missing: texts['b.txt'], text: texts['index.html'] };
}

/** Adds a suspended account with a site, and an account whose downgrade paused its domains. */
async function addStoppedAccounts(
  server: FilledServer,
  operate: (...words: string[]) => Promise<string>,
  keys: Record<string, string>,
): Promise<void> {
  for (const [name, plan] of [
    ['dan', 'free'],
    ['eve', 'pro'],
  ] as const) {
    await operate('accounts', 'create', `${name}@example.com`, '--plan', plan);
    keys[name] = await operate('keys', 'create', `${name}@example.com`);
  }
  const eve = keys['eve']!;
  await publishPage(server, keys['dan']!, 'suspended');
  const deployment = await publishPage(server, eve, 'paused');
  for (const domain of ['one.eve-site.org', 'two.eve-site.org']) await addCustomDomain(server, eve, domain, deployment);
  await operate('plans', 'set', 'eve@example.com', 'free', '--now');
  await operate('accounts', 'suspend', 'dan@example.com');
}

async function untilCompressed(server: FilledServer, deployment: string): Promise<void> {
  for (const deadline = performance.now() + 60_000; performance.now() < deadline;) {
    const { headers } = await server.visit(deployment, '/app.js', { headers: { 'Accept-Encoding': 'br' } });
    if (headers['content-encoding'] === 'br') return;
    await new Promise((resolve) => void setTimeout(resolve, 200));
  }
  throw new Error('The files were not compressed within a minute.');
}

function expectSuccess(response: HttpResponse): Record<string, string> {
  if (response.status >= 300) throw new Error(`The request returned ${response.status}: ${response.text}`);
  return response.json<Record<string, string>>();
}
