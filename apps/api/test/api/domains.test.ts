import {
  DeletedDomain,
  Domain,
  DomainDns,
  DomainRecords,
  DomainShare,
  DomainValidation,
  type ErrorCode,
  VerifiedDomain,
} from '@berth/contract';
import { changePlan } from '@berth/core/operator';
import { expectErrorAnswer, expectRefusal } from '@berth/testing/expectations';
import type { Answer, Ask } from '@berth/testing/requests';
import type { TestServer } from '@berth/testing/server';
import { useServer } from '@berth/testing/use-server';
import { beforeAll, describe, expect, it } from 'vitest';

type Account = Awaited<ReturnType<TestServer['account']>>;

const server = useServer({ env: { CNAME_TARGET: 'cname.berth.dev', APEX_ADDRESSES: '192.0.2.10' }, clean: true });
let mine: Account;
let theirs: Account;
let site: string;
let theirSite: string;
let deletedSite: string;
let expiringSite: string;
beforeAll(async () => {
  [mine, theirs] = [await server().account('team'), await server().account('team')];
  site = (await server().publish({ 'index.html': 'mine' }, { key: mine.key })).deployment;
  theirSite = (await server().publish({ 'index.html': 'theirs' }, { key: theirs.key })).deployment;
  deletedSite = (await server().publish({ 'index.html': 'deleted' }, { key: mine.key })).deployment;
  expect((await send('DELETE', `/deployments/${deletedSite}`)).status).toBe(202);
  expiringSite = (await server().publish({ 'index.html': 'short' }, { key: mine.key, fields: { ttl: '3600' } }))
    .deployment;
});

const JSON_TYPE = { 'Content-Type': 'application/json' };
const send = (method: string, path: string, body?: unknown, ask: Ask = {}) =>
  server().api(path, {
    method,
    key: mine.key,
    ...(body === undefined ? {} : { headers: JSON_TYPE, body: JSON.stringify(body) }),
    ...ask,
  });
const put = (name: string, body: unknown = {}, ask: Ask = {}) => send('PUT', `/domains/${name}`, body, ask);
const query = (operation: string, input: unknown, ask: Ask = {}) =>
  send('GET', `/trpc/domains.${operation}?input=${encodeURIComponent(JSON.stringify(input))}`, undefined, ask);
const mutate = (operation: string, input: unknown, ask: Ask = {}) =>
  send('POST', `/trpc/domains.${operation}`, input, ask);
const dataOf = (answer: Answer) => answer.json<{ result: { data: unknown } }>().result.data;

function read<T>(answer: Answer, status: number, schema: { strict(): { parse(value: unknown): T } }): T {
  expect([answer.status, answer.text]).toEqual([status, expect.stringMatching(/^\{/)]);
  return schema.strict().parse(answer.json());
}

let serial = 0;
const platformName = () => `site-${(serial += 1)}.localhost`;
const customName = () => `www.shop-${(serial += 1)}.dev`;

describe('api §4: the whole flow over REST', () => {
  it('validate, create and link, read the records, verify, switch, delete', async () => {
    const name = customName();
    expect(
      read(await send('POST', '/domains/validate', { domain: name.toUpperCase() }), 200, DomainValidation),
    ).toEqual({ valid: true, normalized: name, available: true, reason: null });
    expect((await send('POST', `/domains/${name}/validate`)).text).toBe(
      (await send('POST', '/domains/validate', { domain: name })).text,
    );
    const created = read(await put(name, { deployment: site, labels: ['shop'] }), 201, Domain);
    expect(created).toEqual({
      domain: name,
      url: `http://${name}:${server().port}`,
      deployment: site,
      status: 'pending',
      labels: ['shop'],
      created: expect.any(Number),
      linked: created.created,
      links: 1,
    });
    expect(read(await send('GET', `/domains/${name}`), 200, Domain)).toEqual(created);
    expect(read(await send('GET', `/domains/${name}/records`), 200, DomainRecords)).toEqual({
      domain: name,
      apex: false,
      records: [{ type: 'CNAME', name, value: expect.stringMatching(/^to-[a-z0-9]{7}\.cname\.berth\.dev$/) }],
    });
    const share = read(await send('GET', `/domains/${name}/share`), 200, DomainShare);
    expect(share).toEqual({
      domain: name,
      hash: expect.stringMatching(/^[0-9a-f]{32}$/),
      url: `http://localhost:${server().port}/setup/${share.hash}`,
    });
    expect(read(await send('GET', `/domains/${name}/dns`), 200, DomainDns)).toEqual({ domain: name, dns: null });
    const verified = read(await send('POST', `/domains/${name}/verify`), 200, VerifiedDomain);
    expect(verified).toMatchObject({ domain: name, status: 'pending', nextCheck: expect.any(Number) });
    expect(verified.checks).toEqual([
      { type: 'CNAME', name, expected: expect.any(Array), found: [], ok: false, reason: expect.any(String) },
    ]);
    expect(read(await put(name, { labels: [] }), 200, Domain)).toEqual({ ...created, labels: [] });
    expect(read(await send('DELETE', `/domains/${name}`), 200, DeletedDomain)).toEqual({ domain: name });
    expectErrorAnswer(await send('GET', `/domains/${name}`), 'not_found');
    expectErrorAnswer(await send('DELETE', `/domains/${name}`), 'not_found');
  });

  it('a platform domain serves from the start: 201, then 200', async () => {
    const name = platformName();
    const created = read(await put(name, { deployment: `${site}.localhost:${server().port}` }), 201, Domain);
    expect(created).toMatchObject({ url: `http://${name}:${server().port}`, deployment: site, status: 'success' });
    expect(read(await put(name), 200, Domain)).toEqual(created);
    expect(read(await put(name, { deployment: site }), 200, Domain)).toEqual(created);
    const answer = await send('DELETE', `/deployments/${site}`);
    expect(expectErrorAnswer(answer, 'business_logic_error')).toMatchObject({
      message: expect.stringContaining(name),
      details: { domains: [name] },
    });
  });

  it('a platform domain shows another deployment once it is switched to it', async () => {
    const name = platformName();
    const other = await server().publish({ 'index.html': 'other' }, { key: mine.key });
    const show = async () => (await server().visit(`http://${name}`)).text;
    read(await put(name, { deployment: site }), 201, Domain);
    expect(await show()).toBe('mine');
    expect(read(await put(name, { deployment: other.deployment }), 200, Domain)).toMatchObject({ links: 2 });
    expect(await show()).toBe('other');
  });

  it('a missing body creates a domain without a deployment', async () => {
    expect(
      read(await server().api(`/domains/${platformName()}`, { method: 'PUT', key: mine.key }), 201, Domain),
    ).toMatchObject({ deployment: null, linked: null, links: 0, labels: [] });
  });

  it('an apex gets addresses and a TXT record', async () => {
    const name = `shop-${(serial += 1)}.dev`;
    read(await put(name), 201, Domain);
    expect(read(await send('GET', `/domains/${name}/records`), 200, DomainRecords)).toEqual({
      domain: name,
      apex: true,
      records: [
        { type: 'A', name, value: '192.0.2.10' },
        { type: 'TXT', name: `_berth.${name}`, value: expect.stringMatching(/^[0-9a-f]{40}$/) },
      ],
    });
  });

  it('T21: the path names the domain, whatever the body says', async () => {
    const [name, other] = [platformName(), platformName()];
    expect(read(await put(name, { domain: other }), 201, Domain).domain).toBe(name);
    expectErrorAnswer(await send('GET', `/domains/${other}`), 'not_found');
  });

  it('usage counts both kinds of domains', async () => {
    const { key } = await server().account('pro');
    await put(platformName(), {}, { key });
    await put(customName(), {}, { key });
    await put(customName(), {}, { key });
    const { usage } = (await send('GET', '/account', undefined, { key })).json<{ usage: object }>();
    expect(usage).toMatchObject({ platformDomains: 1, customDomains: 2 });
  });
});

describe('api §9: tRPC does the same for domains', () => {
  it('every operation', async () => {
    const name = customName();
    const validation = { valid: true, normalized: name, available: true, reason: null };
    for (const operation of ['validate', 'validateNamed'])
      expect(dataOf(await mutate(operation, { domain: `${name}.` }))).toEqual(validation);
    const created = Domain.strict().parse(dataOf(await mutate('put', { domain: name, deployment: site })));
    expect(dataOf(await mutate('put', { domain: name, labels: ['one'] }))).toEqual({ ...created, labels: ['one'] });
    for (const operation of ['get', 'records', 'share', 'dns']) {
      const path = `/domains/${name}${operation === 'get' ? '' : `/${operation}`}`;
      expect(dataOf(await query(operation, { domain: name }))).toEqual((await send('GET', path)).json());
    }
    expect(dataOf(await query('list', { limit: 1 }))).toEqual((await send('GET', '/domains?limit=1')).json());
    VerifiedDomain.strict().parse(dataOf(await mutate('verify', { domain: name })));
    expect(dataOf(await mutate('delete', { domain: name }))).toEqual({ domain: name });
  });

  it('fails the same way, with the same body', async () => {
    const name = platformName();
    await put(name);
    const cases: [string, unknown, Promise<Answer>][] = [
      ['put', { domain: 'shop' }, put('shop')],
      ['put', { domain: name, deployment: null }, put(name, { deployment: null })],
      ['put', { domain: name, deployment: theirSite }, put(name, { deployment: theirSite })],
      ['put', { domain: name, labels: ['x'] }, put(name, { labels: ['x'] })],
      ['delete', { domain: 'none.localhost' }, send('DELETE', '/domains/none.localhost')],
      ['verify', { domain: name }, send('POST', `/domains/${name}/verify`)],
      ['validate', {}, send('POST', '/domains/validate', {})],
    ];
    for (const [operation, input, rest] of cases) {
      const { error } = (await mutate(operation, input)).json<{ error: { data: object } }>();
      const wanted = (await rest).json();
      expect([operation, error.data]).toEqual([operation, expect.objectContaining(wanted)]);
    }
  });
});

describe('api §4: a failed PUT of a domain changes nothing', () => {
  it.each<[string, ErrorCode, () => unknown, RegExp]>([
    ['deployment: null', 'validation_failed', () => ({ deployment: null }), /cannot be unlinked/],
    ['a deployment that is a number', 'validation_failed', () => ({ deployment: 7 }), /deployment/],
    ['a deployment of 301 characters', 'validation_failed', () => ({ deployment: 'a'.repeat(301) }), /deployment/],
    ['labels: null', 'validation_failed', () => ({ labels: null }), /labels/],
    ['an invalid label', 'validation_failed', () => ({ labels: ['No'] }), /labels/],
    [
      'eleven labels',
      'validation_failed',
      () => ({ labels: Array.from({ length: 11 }, (_, i) => `l-${i}`) }),
      /labels/,
    ],
    ['a deployment that never existed', 'not_found', () => ({ deployment: 'calm-otter-zzzzzzz' }), /deployment/],
    ['a deployment of another account', 'not_found', () => ({ deployment: theirSite }), /deployment/],
    ['a text that cannot be a deployment', 'not_found', () => ({ deployment: '' }), /deployment/],
    ['a deployment that is being deleted', 'business_logic_error', () => ({ deployment: deletedSite }), /deleted/],
    ['a deployment that expires', 'business_logic_error', () => ({ deployment: expiringSite }), /expires/],
  ])('%s', async (_, code, body, message) => {
    const existing = platformName();
    await put(existing, { labels: ['kept'] });
    for (const name of [existing, platformName(), customName()])
      expect((await expectRefusal(server(), code, () => put(name, body()))).message).toMatch(message);
  });

  it('with a body that is not an object is 400', async () => {
    for (const body of [[], null, 'x'])
      await expectRefusal(server(), 'validation_failed', () => put(platformName(), body));
  });

  it('over the cap is 403 and names the cap', async () => {
    const { key } = await server().account('free');
    expect(expectErrorAnswer(await put(customName(), {}, { key }), 'forbidden')).toMatchObject({
      details: { cap: 'customDomains', used: 0, limit: 0 },
    });
    for (let i = 0; i < 5; i += 1) expect((await put(platformName(), {}, { key })).status).toBe(201);
    const body = await expectRefusal(server(), 'forbidden', () => put(platformName(), {}, { key }));
    expect(body.details).toEqual({ cap: 'platformDomains', used: 5, limit: 5 });
  });
});

it('api §6: a downgrade pauses a custom domain and keeps its records; an upgrade serves it again', async () => {
  const { account, key } = await server().account('pro');
  const { deployment } = await server().publish({ 'index.html': 'kept' }, { key });
  const name = customName();
  await put(name, { deployment }, { key });
  await server().database.query(`update domain set status = 'success', verified = now() where name = $1`, [name]);
  const records = async () => (await send('GET', `/domains/${name}/records`, undefined, { key })).text;
  const before = await records();
  const expectState = async (status: string, visit: object) => {
    expect((await send('GET', `/domains/${name}`, undefined, { key })).json()).toMatchObject({ status, deployment });
    expect(await records()).toBe(before);
    expect(await server().visit(`http://${name}`)).toMatchObject(visit);
  };
  await changePlan(server().berth.core, account, 'free', { atOnce: true });
  await expectState('paused', { status: 503, text: expect.stringContaining('paused') });
  expect((await server().visit(deployment)).status).toBe(200);
  await changePlan(server().berth.core, account, 'pro');
  await expectState('success', { status: 200, text: 'kept' });
});

describe('T22: domains of other accounts', () => {
  it('a name of another account is 422 for PUT, and the owner is never revealed', async () => {
    const name = platformName();
    await put(name, { deployment: theirSite }, { key: theirs.key });
    const body = await expectRefusal(server(), 'business_logic_error', () => put(name, { deployment: site }));
    expect(body.details).toEqual({ domain: name });
    for (const secret of [theirs.account, theirSite]) expect(JSON.stringify(body)).not.toContain(secret);
  });
});

it.each([
  ['POST', '/verify'],
  ['GET', '/dns'],
  ['GET', '/records'],
  ['GET', '/share'],
])('api §4: %s %s of a platform domain is 422', async (method, tail) => {
  const name = platformName();
  await put(name);
  await expectRefusal(server(), 'business_logic_error', () => send(method, `/domains/${name}${tail}`));
});
