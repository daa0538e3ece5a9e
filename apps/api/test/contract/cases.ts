import { CONTENTS_TYPE, type Member } from '@berth/contract';
import { type Files, formOf, OWNER_KEY } from '@berth/testing/requests';
import { type Case, type Input, caseOf } from './case.ts';
import { UPLOAD_CASES } from './upload-cases.ts';
import type { World } from './world.ts';

const MISSING = {
  deployment: 'calm-otter-zzzzzzz',
  domain: 'not-there.localhost',
  token: 'zzzzzzz',
  invite: 'inv-zzzzzzz',
  member: 'mem-999999999',
};
const HELLO: Files = { 'index.html': 'hello' };
const missingResource = (name: keyof typeof MISSING) =>
  caseOf('A resource that does not exist', 404, { path: { [name]: MISSING[name] } });
const invalidDomain = (status: number) => caseOf('An invalid name', status, { path: { domain: 'no name' } });

const pageCases: Case[] = [
  caseOf('A page of one entry', 200, { query: { limit: '1' } }),
  caseOf('A page of one entry, with unknown parameters', 200, { query: { limit: '1', other: 'x' } }),
  caseOf('A cursor that the server never returned', 400, { query: { cursor: 'Zm9yZ2Vk' } }),
];

const deploymentCase = (
  title: string,
  status: number,
  name: 'site' | 'linkedSite' | 'deletedSite' | 'takenDownSite',
  json?: unknown,
) => caseOf(title, status, (world) => ({ path: { deployment: world[name] }, ...(json === undefined ? {} : { json }) }));

const customDomainCases: Case[] = [
  caseOf('A custom domain', 200, ({ customDomain }) => ({ path: { domain: customDomain } })),
  caseOf('A platform domain', 422, ({ platformDomain }) => ({ path: { domain: platformDomain } })),
  invalidDomain(400),
  missingResource('domain'),
];

const deployCase = (title: string, status: number, input: Input) =>
  caseOf(title, status, { form: { files: HELLO }, ...input });

/** Publishes {@link HELLO}, and then publishes `files` with the same idempotency key. */
const redeployCase = (title: string, status: number, idempotencyKey: string, files: Files) =>
  caseOf(title, status, async ({ server, ownAccount: mine }) => {
    const headers = { 'Idempotency-Key': idempotencyKey };
    await server.publish(HELLO, { key: mine.key, headers });
    return { form: { files }, headers };
  });
const domainCase = (title: string, status: number, json: (world: World) => object) =>
  caseOf(title, status, (world) => ({ path: { domain: world.platformDomain }, json: json(world) }));

/** The written cases of each operation, a valid one first. Cases that follow from the document are in `faults.ts`. */
export const CASES: Record<string, Case[]> = {
  'deployments.create': [
    deployCase('A page', 201, {}),
    deployCase('All fields', 201, {
      form: {
        files: { ...HELLO, '.hidden': 'x' },
        fields: { labels: '["one","two"]', password: 'open sesame', via: 'cli', ttl: '60' },
      },
    }),
    caseOf('With a domain', 201, ({ freshName }) => ({ form: { files: HELLO, fields: { domain: freshName() } } })),
    caseOf('With a domain that keeps one version', 201, async ({ freshName, server, ownAccount: mine }) => {
      const domain = freshName();
      await server.publish(HELLO, { key: mine.key, fields: { domain } });
      return { form: { files: HELLO, fields: { domain, keep: '1' } } };
    }),
    caseOf('A domain of another account', 422, ({ theirDomain }) => ({
      form: { files: HELLO, fields: { domain: theirDomain } },
    })),
    caseOf('A domain that the deploy token cannot use', 403, ({ freshName, ownAccount: mine }) => ({
      form: { files: HELLO, fields: { domain: freshName() } },
      key: mine.deployToken,
    })),
    caseOf('With a deploy token', 201, ({ ownAccount: mine }) => ({ form: { files: HELLO }, key: mine.deployToken })),
    deployCase('Without a credential', 201, { key: null }),
    redeployCase('A repeated request', 201, 'again', HELLO),
    redeployCase('An Idempotency-Key that was used', 422, 'other', { 'index.html': 'other' }),
    caseOf('The storage of the plan', 403, ({ thrifty }) => ({ form: { files: HELLO }, key: thrifty.key })),
    deployCase('A file that is refused', 400, { form: { files: { ...HELLO, 'setup.exe': 'MZ' } } }),
    deployCase('A file with another checksum', 400, {
      form: { files: HELLO, fields: { checksums: '["d41d8cd98f00b204e9800998ecf8427e"]' } },
    }),
    deployCase('A password that is too short', 400, { form: { files: HELLO, fields: { password: '12345' } } }),
    deployCase('An invalid label', 400, { form: { files: HELLO, fields: { labels: '["!"]' } } }),
    deployCase('A ttl without a credential', 403, { key: null, form: { files: HELLO, fields: { ttl: '60' } } }),
    deployCase('A page of another site, without a credential', 403, {
      key: null,
      headers: { Origin: 'https://other.example' },
    }),
    caseOf('A cap of the plan', 403, ({ full }) => ({ form: { files: HELLO }, key: full.key })),
    deployCase('A file that is too large', 413, { key: null, form: { files: { 'a.txt': 'x'.repeat(1_001) } } }),
    deployCase('Too many files', 413, { key: null, form: { files: { a: 'a', b: 'b', c: 'c' } } }),
  ],
  ...UPLOAD_CASES,
  'deployments.list': [
    ...pageCases,
    caseOf('Deployments with a label', 200, { query: { label: 'us-east-1' } }),
    caseOf('An invalid label', 400, { query: { label: 'US EAST' } }),
    caseOf('The deployment of a domain', 200, ({ platformDomain }) => ({ query: { domain: platformDomain } })),
    caseOf('A domain that does not exist', 200, { query: { domain: MISSING.domain } }),
  ],
  'deployments.get': [
    deploymentCase('A deployment', 200, 'site'),
    deploymentCase('A deployment that is being deleted', 200, 'deletedSite'),
    deploymentCase('A deployment that was taken down', 200, 'takenDownSite'),
    missingResource('deployment'),
  ],
  'deployments.files': [
    deploymentCase('A deployment', 200, 'site'),
    caseOf('A page of one entry', 200, async ({ server, ownAccount: mine }) => {
      const { deployment } = await server.publish({ ...HELLO, 'about.html': 'about' }, { key: mine.key });
      return { path: { deployment }, query: { limit: '1' } };
    }),
    caseOf('A cursor that the server never returned', 400, ({ site }) => ({
      path: { deployment: site },
      query: { cursor: 'Zm9yZ2Vk' },
    })),
    missingResource('deployment'),
  ],
  'deployments.changes': [
    caseOf('An earlier deployment', 200, async ({ server, ownAccount: mine }) => {
      const earlier = await server.publish({ ...HELLO, 'old.html': 'old' }, { key: mine.key });
      const { deployment } = await server.publish({ 'index.html': 'new', 'new.html': 'new' }, { key: mine.key });
      return { path: { deployment }, query: { from: earlier.deployment } };
    }),
    caseOf('A deployment that does not exist', 404, ({ site }) => ({
      path: { deployment: site },
      query: { from: MISSING.deployment },
    })),
    caseOf('Without an earlier deployment', 400, ({ site }) => ({ path: { deployment: site } })),
  ],
  'deployments.archive': [
    deploymentCase('A tar', 200, 'site'),
    caseOf('A zip', 200, ({ site }) => ({ path: { deployment: site }, headers: { Accept: 'application/zip' } })),
    deploymentCase('A deployment that is being deleted', 422, 'deletedSite'),
    missingResource('deployment'),
  ],
  'deployments.update': [
    deploymentCase('Set labels', 200, 'site', { labels: ['one', 'two'] }),
    deploymentCase('Clear the labels', 200, 'site', { labels: [] }),
    deploymentCase('Remove the password and the time to live', 200, 'site', { password: null, ttl: null }),
    deploymentCase('Set a password', 200, 'site', { password: 'open sesame' }),
    deploymentCase('A time to live of a deployment with a domain', 422, 'site', { ttl: 3_600 }),
    deploymentCase('No change', 400, 'site', {}),
    deploymentCase('Too many labels', 400, 'site', { labels: Array.from({ length: 11 }, (_, i) => `label-${i}`) }),
    deploymentCase('A deployment that is being deleted', 422, 'deletedSite', { labels: [] }),
    caseOf('A resource that does not exist', 404, { path: { deployment: MISSING.deployment }, json: { labels: [] } }),
  ],
  'deployments.delete': [
    caseOf('A deployment', 202, async ({ server, ownAccount: mine }) => ({
      path: { deployment: (await server.publish(HELLO, { key: mine.key })).deployment },
    })),
    deploymentCase('A deployment that is being deleted', 202, 'deletedSite'),
    deploymentCase('A deployment that a domain points at', 422, 'linkedSite'),
    missingResource('deployment'),
  ],
  'domains.put': [
    caseOf('Create the domain and link it', 201, ({ freshName, site }) => ({
      path: { domain: freshName() },
      json: { deployment: site, labels: ['shop'] },
    })),
    domainCase('Switch to another deployment', 200, ({ site }) => ({ deployment: site })),
    domainCase('Replace its labels', 200, () => ({ labels: ['shop', 'summer'] })),
    caseOf('Create the domain without a deployment', 201, ({ freshName }) => ({
      path: { domain: freshName('example.com') },
    })),
    domainCase('Change nothing', 200, () => ({})),
    caseOf('A reserved name', 400, { path: { domain: 'www.localhost' }, json: {} }),
    domainCase('No deployment', 400, () => ({ deployment: null })),
    domainCase('A deployment that does not exist', 404, () => ({ deployment: MISSING.deployment })),
    domainCase('A deployment that expires', 422, ({ expiringSite }) => ({ deployment: expiringSite })),
    domainCase('A deployment that was taken down', 422, ({ takenDownSite }) => ({ deployment: takenDownSite })),
    caseOf('A name of another account', 422, ({ theirDomain }) => ({ path: { domain: theirDomain }, json: {} })),
    caseOf('A cap of the plan', 403, ({ freshName, full }) => ({ path: { domain: freshName() }, key: full.key })),
  ],
  'domains.list': pageCases,
  'domains.get': [
    caseOf('A platform domain', 200, ({ platformDomain }) => ({ path: { domain: platformDomain } })),
    caseOf('A custom domain', 200, ({ customDomain }) => ({ path: { domain: customDomain.toUpperCase() } })),
    invalidDomain(400),
    missingResource('domain'),
  ],
  'domains.versions': [
    caseOf('A domain', 200, ({ platformDomain }) => ({ path: { domain: platformDomain } })),
    caseOf('A page of one entry', 200, async ({ send, freshName, site, linkedSite }) => {
      const domain = freshName();
      for (const deployment of [site, linkedSite]) await send('PUT', `/domains/${domain}`, { deployment });
      return { path: { domain }, query: { limit: '1' } };
    }),
    caseOf('A cursor that the server never returned', 400, ({ platformDomain }) => ({
      path: { domain: platformDomain },
      query: { cursor: 'Zm9yZ2Vk' },
    })),
    invalidDomain(400),
    missingResource('domain'),
  ],
  'domains.delete': [
    caseOf('A domain', 200, async ({ send, freshName }) => {
      const domain = freshName();
      await send('PUT', `/domains/${domain}`, {});
      return { path: { domain } };
    }),
    invalidDomain(400),
    missingResource('domain'),
  ],
  'domains.validate': [
    caseOf('A name that is available', 200, ({ freshName }) => ({ json: { domain: freshName() } })),
    caseOf('A name of another account', 200, ({ theirDomain }) => ({ json: { domain: theirDomain } })),
    caseOf('An invalid name', 200, { json: { domain: 'no name' } }),
  ],
  'domains.validateNamed': [
    caseOf('A name that is available', 200, ({ freshName }) => ({ path: { domain: freshName() } })),
    invalidDomain(200),
  ],
  'domains.verify': [
    ...customDomainCases,
    caseOf('A domain that was just checked', 429, ({ customDomain }) => ({ path: { domain: customDomain } })),
  ],
  'domains.dns': customDomainCases,
  'domains.records': customDomainCases,
  'domains.share': customDomainCases,
  'account.get': [
    caseOf('The account', 200, async ({ server }) => {
      const { key } = await server.account('pro');
      await server.publish(HELLO, { key });
      return { key };
    }),
  ],
  'account.claim': [
    caseOf('The claim URL', 200, async ({ abandon }) => ({ json: { claim: await abandon() } })),
    caseOf('The claim hash', 200, async ({ abandon }) => ({ json: { claim: (await abandon()).split('/').at(-1) } })),
    caseOf('An invalid claim', 400, { json: { claim: 'nonsense' } }),
    caseOf('A claim that does not exist', 404, { json: { claim: 'f'.repeat(32) } }),
    caseOf('A cap of the plan', 403, async ({ abandon, full }) => ({
      json: { claim: await abandon() },
      key: full.key,
    })),
  ],
  'account.update': [
    caseOf('A name', 200, { json: { name: 'The corner shop' } }),
    caseOf('No name', 200, { json: { name: null } }),
    caseOf('An empty name', 400, { json: { name: ' ' } }),
  ],
  'account.delete': [
    caseOf('The account', 200, async ({ server }) => {
      const { account, key } = await server.account();
      return { query: { account }, key };
    }),
    caseOf('The key of a member', 403, ({ ownAccount: mine, memberKey }) => ({
      query: { account: mine.account },
      key: memberKey,
    })),
    caseOf('No id', 400, {}),
    caseOf('The id of another account', 404, ({ otherAccount }) => ({ query: { account: otherAccount.account } })),
    caseOf('The account of the owner', 422, async ({ server }) => {
      const { account } = (await server.api('/account', { key: OWNER_KEY })).json<{ account: string }>();
      return { query: { account }, key: OWNER_KEY };
    }),
  ],
  'members.list': [caseOf('The members', 200)],
  'members.delete': [
    caseOf('A member', 200, async ({ freshMember }) => ({ path: { member: await freshMember() } })),
    caseOf('The key of a member', 403, async ({ freshMember, memberKey }) => ({
      path: { member: await freshMember() },
      key: memberKey,
    })),
    caseOf('The owner', 422, async ({ server, ownAccount: mine }) => {
      const { members } = (await server.api('/account/members', { key: mine.key })).json<{ members: [Member] }>();
      return { path: { member: members[0].member } };
    }),
    missingResource('member'),
  ],
  'invites.create': [
    caseOf('A link for anyone', 201),
    caseOf('A link for one person', 201, { json: { email: 'grace@example.com', role: 'member' } }),
    caseOf('An address that cannot be one', 400, { json: { email: 'grace' } }),
    caseOf('Another owner', 400, { json: { role: 'owner' } }),
    caseOf('The key of a member', 403, ({ memberKey }) => ({ key: memberKey })),
    caseOf('No seat left', 403, ({ full }) => ({ key: full.key })),
    caseOf('A person who is a member', 422, { json: { email: 'member@example.com' } }),
  ],
  'invites.list': [caseOf('The invitations', 200)],
  'invites.delete': [
    caseOf('An invitation', 200, async ({ send }) => ({
      path: { invite: (await send('POST', '/account/invites', {}))['invite']! },
    })),
    caseOf('The key of a member', 403, ({ memberKey }) => ({ path: { invite: MISSING.invite }, key: memberKey })),
    missingResource('invite'),
  ],
  'activities.list': [
    ...pageCases,
    caseOf('Activities of some events', 200, { query: { event: 'domain,token.create', authMethod: 'api-key' } }),
    caseOf('An invalid event', 400, { query: { event: 'Domain' } }),
  ],
  'labels.list': [caseOf('The labels', 200)],
  'sites.list': [
    ...pageCases,
    caseOf('Sites with a text', 200, ({ platformDomain }) => ({ query: { search: platformDomain } })),
    caseOf('No site with a text', 200, { query: { search: 'nothing has this text' } }),
    caseOf('A text that is too long', 400, { query: { search: 'x'.repeat(201) } }),
  ],
  'sites.get': [
    caseOf('A domain', 200, ({ platformDomain }) => ({ path: { site: platformDomain } })),
    caseOf('A deployment', 200, ({ site }) => ({ path: { site } })),
    caseOf('A site that does not exist', 404, { path: { site: MISSING.domain } }),
  ],
  'tokens.create': [
    caseOf('A deploy token', 201),
    caseOf('A deploy token for a domain', 201, { json: { domains: ['shop.localhost'], keep: 5 } }),
    caseOf('A name that cannot be a domain', 400, { json: { domains: ['www.localhost'] } }),
    caseOf('A deploy token for 30 days', 201, { json: { kind: 'deploy', ttl: 30 * 86_400, labels: ['ci-main'] } }),
    caseOf('An API key for a minute', 201, { json: { kind: 'api', ttl: 60, labels: ['one'] } }),
    caseOf('Too many tokens', 422, async ({ server }) => {
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
  'sites.delete': [
    caseOf('The site of a deployment', 202, async ({ server, ownAccount }) => ({
      path: { site: (await server.publish(HELLO, { key: ownAccount.key })).deployment },
    })),
    caseOf('A deployment that a domain shows', 422, ({ linkedSite }) => ({ path: { site: linkedSite } })),
    caseOf('A site that does not exist', 404, { path: { site: MISSING.domain } }),
  ],
  'tokens.list': pageCases,
  'tokens.get': [caseOf('A token', 200, ({ token }) => ({ path: { token } })), missingResource('token')],
  'tokens.delete': [
    caseOf('A token', 200, async ({ send }) => ({ path: { token: (await send('POST', '/tokens', {}))['token']! } })),
    missingResource('token'),
  ],
  'plans.list': [caseOf('The plans', 200), caseOf('The plans, without a credential', 200, { key: null })],
  'platform.limits': [
    caseOf('The limits', 200),
    caseOf('The limits, for a deploy token', 200, ({ ownAccount: mine }) => ({ key: mine.deployToken })),
  ],
  'platform.config': [caseOf('The address', 301), caseOf('The address, without a credential', 301, { key: null })],
  'platform.ping': [
    caseOf('A ping', 200),
    caseOf('A ping with a deploy token', 200, ({ ownAccount: mine }) => ({ key: mine.deployToken })),
  ],
};

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
