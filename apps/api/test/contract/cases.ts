import { CONTENTS_TYPE } from '@berth/contract';
import { type Files, formOf } from '@berth/testing/requests';
import { type Case, type Input, when } from './case.ts';
import { UPLOAD_CASES } from './upload-cases.ts';
import type { World } from './world.ts';

const MISSING = { deployment: 'calm-otter-zzzzzzz', domain: 'not-there.localhost', token: 'zzzzzzz' };
const HELLO: Files = { 'index.html': 'hello' };
const missing = (name: keyof typeof MISSING) =>
  when('A resource that does not exist', 404, { path: { [name]: MISSING[name] } });
const invalidDomain = (status: number) => when('An invalid name', status, { path: { domain: 'no name' } });

const page: Case[] = [
  when('A page of one entry', 200, { query: { limit: '1' } }),
  when('A page of one entry, with unknown parameters', 200, { query: { limit: '1', other: 'x' } }),
  when('A cursor that the server never returned', 400, { query: { cursor: 'Zm9yZ2Vk' } }),
];

const onDeployment = (title: string, status: number, name: 'site' | 'linkedSite' | 'deletedSite', json?: unknown) =>
  when(title, status, (world) => ({ path: { deployment: world[name] }, ...(json === undefined ? {} : { json }) }));

const onCustomDomain: Case[] = [
  when('A custom domain', 200, ({ customDomain }) => ({ path: { domain: customDomain } })),
  when('A platform domain', 422, ({ platformDomain }) => ({ path: { domain: platformDomain } })),
  invalidDomain(400),
  missing('domain'),
];

const deploys = (title: string, status: number, input: Input) =>
  when(title, status, { form: { files: HELLO }, ...input });

/** Publishes {@link HELLO}, and then these files with the same key. */
const redeploys = (title: string, status: number, idempotencyKey: string, files: Files) =>
  when(title, status, async ({ server, ownAccount: mine }) => {
    const headers = { 'Idempotency-Key': idempotencyKey };
    await server.publish(HELLO, { key: mine.key, headers });
    return { form: { files }, headers };
  });
/** Changes a domain of the world. */
const onDomain = (title: string, status: number, json: (world: World) => object) =>
  when(title, status, (world) => ({ path: { domain: world.platformDomain }, json: json(world) }));

/**
 * The cases of every operation, a valid one first. Cases that can be derived from the document are not repeated here.
 */
export const CASES: Record<string, Case[]> = {
  'deployments.create': [
    deploys('A page', 201, {}),
    deploys('All fields', 201, {
      form: {
        files: { ...HELLO, '.hidden': 'x' },
        fields: { labels: '["one","two"]', password: 'open sesame', via: 'cli', ttl: '60' },
      },
    }),
    when('With a deploy token', 201, ({ ownAccount: mine }) => ({ form: { files: HELLO }, key: mine.deployToken })),
    deploys('Without a credential', 201, { key: null }),
    redeploys('A repeated request', 201, 'again', HELLO),
    redeploys('An Idempotency-Key that was used', 422, 'other', { 'index.html': 'other' }),
    when('The storage of the plan', 403, ({ thrifty }) => ({ form: { files: HELLO }, key: thrifty.key })),
    deploys('A file that is refused', 400, { form: { files: { ...HELLO, 'setup.exe': 'MZ' } } }),
    deploys('A file with another checksum', 400, {
      form: { files: HELLO, fields: { checksums: '["d41d8cd98f00b204e9800998ecf8427e"]' } },
    }),
    deploys('A password that is too short', 400, { form: { files: HELLO, fields: { password: '12345' } } }),
    deploys('An invalid label', 400, { form: { files: HELLO, fields: { labels: '["!"]' } } }),
    deploys('A ttl without a credential', 403, { key: null, form: { files: HELLO, fields: { ttl: '60' } } }),
    deploys('A page of another site, without a credential', 403, {
      key: null,
      headers: { Origin: 'https://other.example' },
    }),
    when('A cap of the plan', 403, ({ full }) => ({ form: { files: HELLO }, key: full.key })),
    deploys('A file that is too large', 413, { key: null, form: { files: { 'a.txt': 'x'.repeat(1_001) } } }),
    deploys('Too many files', 413, { key: null, form: { files: { a: 'a', b: 'b', c: 'c' } } }),
  ],
  ...UPLOAD_CASES,
  'deployments.list': page,
  'deployments.get': [
    onDeployment('A deployment', 200, 'site'),
    onDeployment('A deployment that is being deleted', 200, 'deletedSite'),
    missing('deployment'),
  ],
  'deployments.update': [
    onDeployment('Set labels', 200, 'site', { labels: ['one', 'two'] }),
    onDeployment('Clear the labels', 200, 'site', { labels: [] }),
    onDeployment('Too many labels', 400, 'site', { labels: Array.from({ length: 11 }, (_, i) => `label-${i}`) }),
    onDeployment('A deployment that is being deleted', 422, 'deletedSite', { labels: [] }),
    when('A resource that does not exist', 404, { path: { deployment: MISSING.deployment }, json: { labels: [] } }),
  ],
  'deployments.delete': [
    when('A deployment', 202, async ({ server, ownAccount: mine }) => ({
      path: { deployment: (await server.publish(HELLO, { key: mine.key })).deployment },
    })),
    onDeployment('A deployment that is being deleted', 202, 'deletedSite'),
    onDeployment('A deployment that a domain points at', 422, 'linkedSite'),
    missing('deployment'),
  ],
  'domains.put': [
    when('Create the domain and link it', 201, ({ freshName, site }) => ({
      path: { domain: freshName() },
      json: { deployment: site, labels: ['shop'] },
    })),
    onDomain('Switch to another deployment', 200, ({ site }) => ({ deployment: site })),
    onDomain('Replace its labels', 200, () => ({ labels: ['shop', 'summer'] })),
    when('Create the domain without a deployment', 201, ({ freshName }) => ({
      path: { domain: freshName('example.com') },
    })),
    onDomain('Change nothing', 200, () => ({})),
    when('A reserved name', 400, { path: { domain: 'www.localhost' }, json: {} }),
    onDomain('No deployment', 400, () => ({ deployment: null })),
    onDomain('A deployment that does not exist', 404, () => ({ deployment: MISSING.deployment })),
    onDomain('A deployment that expires', 422, ({ expiringSite }) => ({ deployment: expiringSite })),
    onDomain('A deployment that was taken down', 422, ({ takenDownSite }) => ({ deployment: takenDownSite })),
    when('A name of another account', 422, ({ theirDomain }) => ({ path: { domain: theirDomain }, json: {} })),
    when('A cap of the plan', 403, ({ freshName, full }) => ({ path: { domain: freshName() }, key: full.key })),
  ],
  'domains.list': page,
  'domains.get': [
    when('A platform domain', 200, ({ platformDomain }) => ({ path: { domain: platformDomain } })),
    when('A custom domain', 200, ({ customDomain }) => ({ path: { domain: customDomain.toUpperCase() } })),
    invalidDomain(400),
    missing('domain'),
  ],
  'domains.delete': [
    when('A domain', 200, async ({ make, freshName }) => {
      const domain = freshName();
      await make('PUT', `/domains/${domain}`, {});
      return { path: { domain } };
    }),
    invalidDomain(400),
    missing('domain'),
  ],
  'domains.validate': [
    when('A name that is available', 200, ({ freshName }) => ({ json: { domain: freshName() } })),
    when('A name of another account', 200, ({ theirDomain }) => ({ json: { domain: theirDomain } })),
    when('An invalid name', 200, { json: { domain: 'no name' } }),
  ],
  'domains.validateNamed': [
    when('A name that is available', 200, ({ freshName }) => ({ path: { domain: freshName() } })),
    invalidDomain(200),
  ],
  'domains.verify': [
    ...onCustomDomain,
    when('A domain that was just checked', 429, ({ customDomain }) => ({ path: { domain: customDomain } })),
  ],
  'domains.dns': onCustomDomain,
  'domains.records': onCustomDomain,
  'domains.share': onCustomDomain,
  'account.get': [
    when('The account', 200, async ({ server }) => {
      const { key } = await server.account('pro');
      await server.publish(HELLO, { key });
      return { key };
    }),
  ],
  'account.claim': [
    when('The claim URL', 200, async ({ abandon }) => ({ json: { claim: await abandon() } })),
    when('The claim hash', 200, async ({ abandon }) => ({ json: { claim: (await abandon()).split('/').at(-1) } })),
    when('An invalid claim', 400, { json: { claim: 'nonsense' } }),
    when('A claim that does not exist', 404, { json: { claim: 'f'.repeat(32) } }),
    when('A cap of the plan', 403, async ({ abandon, full }) => ({ json: { claim: await abandon() }, key: full.key })),
  ],
  'activities.list': page,
  'labels.list': [when('The labels', 200)],
  'tokens.create': [
    when('A deploy token', 201),
    when('A deploy token for 30 days', 201, { json: { kind: 'deploy', ttl: 30 * 86_400, labels: ['ci-main'] } }),
    when('An API key for a minute', 201, { json: { kind: 'api', ttl: 60, labels: ['one'] } }),
    when('Too many tokens', 422, async ({ server }) => {
      const { account, key } = await server.account();
      await server.database.query(
        `insert into token (account_id, token, kind, secret_hash, last4, labels, created)
         select $1, 'f' || lpad(n::text, 6, '0'), 'deploy', sha256(convert_to($1 || n, 'UTF8')), '0000', '{}', now()
         from generate_series(1, 1000) n`,
        [account],
      );
      return { key };
    }),
  ],
  'tokens.list': page,
  'tokens.get': [when('A token', 200, ({ token }) => ({ path: { token } })), missing('token')],
  'tokens.delete': [
    when('A token', 200, async ({ make }) => ({ path: { token: (await make('POST', '/tokens', {}))['token']! } })),
    missing('token'),
  ],
  'plans.list': [when('The plans', 200), when('The plans, without a credential', 200, { key: null })],
  'platform.limits': [
    when('The limits', 200),
    when('The limits, for a deploy token', 200, ({ ownAccount: mine }) => ({ key: mine.deployToken })),
  ],
  'platform.config': [when('The address', 301), when('The address, without a credential', 301, { key: null })],
  'platform.ping': [
    when('A ping', 200),
    when('A ping with a deploy token', 200, ({ ownAccount: mine }) => ({ key: mine.deployToken })),
  ],
};

/** The body that an input is sent as. */
export function bodyOf({ json, form, contents }: Input): { headers: Record<string, string>; body?: Buffer | string } {
  if (form) {
    const { contentType, body } = formOf(form.files, form.fields);
    return { headers: { 'Content-Type': contentType }, body };
  }
  if (contents) return { headers: { 'Content-Type': CONTENTS_TYPE }, body: contents };
  return json === undefined
    ? { headers: {} }
    : { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(json) };
}
