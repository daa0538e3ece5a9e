import { CONTENTS_TYPE } from '@berth/contract';
import { type Files, formOf } from '@berth/testing/requests';
import { type Case, type Input, when } from './case.ts';
import { UPLOAD_CASES } from './upload-cases.ts';

const MISSING = { deployment: 'calm-otter-zzzzzzz', domain: 'not-there.localhost', token: 'zzzzzzz' };
const HELLO: Files = { 'index.html': 'hello' };
const nothing = () => ({});

const missing = (name: keyof typeof MISSING) =>
  when('what is not there', 404, () => ({ path: { [name]: MISSING[name] } }));

const page: Case[] = [
  when('a page of one', 200, () => ({ query: { limit: '1' } })),
  when('everything, with unknown parameters', 200, () => ({ query: { limit: '101', other: 'x' } })),
  when('a cursor that the server never returned', 400, () => ({ query: { cursor: 'Zm9yZ2Vk' } })),
];

const onDeployment = (title: string, status: number, name: 'site' | 'linkedSite' | 'deletedSite', json?: unknown) =>
  when(title, status, (world) => ({ path: { deployment: world[name] }, ...(json === undefined ? {} : { json }) }));

const onCustomDomain: Case[] = [
  when('a custom domain', 200, ({ customDomain }) => ({ path: { domain: customDomain } })),
  when('a platform domain', 422, ({ platformDomain }) => ({ path: { domain: platformDomain } })),
  when('what is no name', 400, () => ({ path: { domain: 'no name' } })),
  missing('domain'),
];

const deploys = (title: string, status: number, input: Input) =>
  when(title, status, () => ({ form: { files: HELLO }, ...input }));

/**
 * The cases of every operation, a valid one first. Cases that can be derived from the document are not repeated here.
 */
export const CASES: Record<string, Case[]> = {
  'deployments.create': [
    deploys('a page', 201, {}),
    deploys('everything there is', 201, {
      form: {
        files: { ...HELLO, '.hidden': 'x' },
        fields: { labels: '["one","two"]', password: 'open sesame', via: 'cli', ttl: '60' },
      },
    }),
    when('a page, by a deploy token', 201, ({ ownAccount: mine }) => ({
      form: { files: HELLO },
      key: mine.deployToken,
    })),
    deploys('a page, without a credential', 201, { key: null }),
    when('a repetition', 201, async ({ server, ownAccount: mine }) => {
      const headers = { 'Idempotency-Key': 'again' };
      await server.publish(HELLO, { key: mine.key, headers });
      return { form: { files: HELLO }, headers };
    }),
    when('another deploy with the same key', 422, async ({ server, ownAccount: mine }) => {
      const headers = { 'Idempotency-Key': 'other' };
      await server.publish(HELLO, { key: mine.key, headers });
      return { form: { files: { 'index.html': 'other' } }, headers };
    }),
    deploys('a file that is refused', 400, { form: { files: { ...HELLO, 'setup.exe': 'MZ' } } }),
    deploys('a checksum of other bytes', 400, {
      form: { files: HELLO, fields: { checksums: '["d41d8cd98f00b204e9800998ecf8427e"]' } },
    }),
    deploys('a password that is too short', 400, { form: { files: HELLO, fields: { password: '12345' } } }),
    deploys('labels that are none', 400, { form: { files: HELLO, fields: { labels: '["!"]' } } }),
    deploys('ttl without a credential', 403, { key: null, form: { files: HELLO, fields: { ttl: '60' } } }),
    deploys('a page of another site, without a credential', 403, {
      key: null,
      headers: { Origin: 'https://other.example' },
    }),
    when('a deployment more than the plan holds', 403, ({ full }) => ({ form: { files: HELLO }, key: full.key })),
    deploys('a file that is too large', 413, { key: null, form: { files: { 'a.txt': 'x'.repeat(1_001) } } }),
    deploys('too many files', 413, { key: null, form: { files: { a: 'a', b: 'b', c: 'c' } } }),
  ],
  ...UPLOAD_CASES,
  'deployments.list': page,
  'deployments.get': [
    onDeployment('a deployment', 200, 'site'),
    onDeployment('one that is being deleted', 200, 'deletedSite'),
    missing('deployment'),
  ],
  'deployments.update': [
    onDeployment('other labels', 200, 'site', { labels: ['one', 'two'] }),
    onDeployment('no labels, with unknown fields', 200, 'site', { labels: [], other: 1 }),
    onDeployment('eleven labels', 400, 'site', { labels: Array.from({ length: 11 }, (_, i) => `label-${i}`) }),
    onDeployment('one that is being deleted', 422, 'deletedSite', { labels: [] }),
    when('what is not there', 404, () => ({ path: { deployment: MISSING.deployment }, json: { labels: [] } })),
  ],
  'deployments.delete': [
    when('a deployment', 202, async ({ server, ownAccount: mine }) => ({
      path: { deployment: (await server.publish(HELLO, { key: mine.key })).deployment },
    })),
    onDeployment('one that is being deleted', 202, 'deletedSite'),
    onDeployment('one that a domain shows', 422, 'linkedSite'),
    missing('deployment'),
  ],
  'domains.put': [
    when('a new name', 201, ({ freshName, site }) => ({
      path: { domain: freshName() },
      json: { deployment: site, labels: ['one'] },
    })),
    when('a new name, with no body', 201, ({ freshName }) => ({ path: { domain: freshName('berth-shop.dev') } })),
    when('a name of the account', 200, ({ platformDomain }) => ({ path: { domain: platformDomain }, json: {} })),
    when('a name that is reserved', 400, () => ({ path: { domain: 'www.localhost' }, json: {} })),
    when('to unlink it', 400, ({ platformDomain }) => ({
      path: { domain: platformDomain },
      json: { deployment: null },
    })),
    when('a deployment that is not there', 404, ({ platformDomain }) => ({
      path: { domain: platformDomain },
      json: { deployment: MISSING.deployment },
    })),
    when('a deployment that expires', 422, ({ platformDomain, expiringSite }) => ({
      path: { domain: platformDomain },
      json: { deployment: expiringSite },
    })),
    when('a name that another account holds', 422, ({ theirDomain }) => ({ path: { domain: theirDomain }, json: {} })),
    when('a domain more than the plan holds', 403, ({ freshName, full }) => ({
      path: { domain: freshName() },
      key: full.key,
    })),
  ],
  'domains.list': page,
  'domains.get': [
    when('a platform domain', 200, ({ platformDomain }) => ({ path: { domain: platformDomain } })),
    when('a custom domain, in capitals', 200, ({ customDomain }) => ({ path: { domain: customDomain.toUpperCase() } })),
    when('what is no name', 400, () => ({ path: { domain: 'no name' } })),
    missing('domain'),
  ],
  'domains.delete': [
    when('a domain', 200, async ({ make, freshName }) => {
      const domain = freshName();
      await make('PUT', `/domains/${domain}`, {});
      return { path: { domain } };
    }),
    when('what is no name', 400, () => ({ path: { domain: 'no name' } })),
    missing('domain'),
  ],
  'domains.validate': [
    when('a name that is free', 200, ({ freshName }) => ({ json: { domain: freshName() } })),
    when('a name that is held', 200, ({ theirDomain }) => ({ json: { domain: theirDomain } })),
    when('what is no name', 200, () => ({ json: { domain: 'no name' } })),
  ],
  'domains.validateNamed': [
    when('a name that is free', 200, ({ freshName }) => ({ path: { domain: freshName() } })),
    when('what is no name', 200, () => ({ path: { domain: 'no name' } })),
  ],
  'domains.verify': [
    ...onCustomDomain,
    when('a custom domain, at once again', 429, ({ customDomain }) => ({ path: { domain: customDomain } })),
  ],
  'domains.dns': onCustomDomain,
  'domains.records': onCustomDomain,
  'domains.share': onCustomDomain,
  'account.get': [when('the account', 200, nothing)],
  'account.claim': [
    when('a claim URL', 200, async ({ abandon }) => ({ json: { claim: await abandon() } })),
    when('a claim hash', 200, async ({ abandon }) => ({ json: { claim: (await abandon()).split('/').at(-1) } })),
    when('what is no claim', 400, () => ({ json: { claim: 'nonsense' } })),
    when('a claim that does not exist', 404, () => ({ json: { claim: 'f'.repeat(32) } })),
    when('a deployment more than the plan holds', 403, async ({ abandon, full }) => ({
      json: { claim: await abandon() },
      key: full.key,
    })),
  ],
  'activities.list': page,
  'labels.list': [when('the labels', 200, nothing)],
  'tokens.create': [
    when('a deploy token, with no body', 201, nothing),
    when('an API key for a minute', 201, () => ({ json: { kind: 'api', ttl: 60, labels: ['one'] } })),
    when('one token too many', 422, async ({ server }) => {
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
  'tokens.get': [when('a token', 200, ({ token }) => ({ path: { token } })), missing('token')],
  'tokens.delete': [
    when('a token', 200, async ({ make }) => ({ path: { token: (await make('POST', '/tokens', {}))['token']! } })),
    missing('token'),
  ],
  'plans.list': [when('the plans', 200, nothing), when('the plans, without a credential', 200, () => ({ key: null }))],
  'platform.limits': [
    when('the limits', 200, nothing),
    when('the limits, for a deploy token', 200, ({ ownAccount: mine }) => ({ key: mine.deployToken })),
  ],
  'platform.config': [
    when('the limits', 301, nothing),
    when('the limits, without a credential', 301, () => ({ key: null })),
  ],
  'platform.ping': [
    when('a ping', 200, nothing),
    when('a ping, by a deploy token', 200, ({ ownAccount: mine }) => ({ key: mine.deployToken })),
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
