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
import { expectError, expectRefusal, readJson } from '@berth/testing/expectations';
import { useServer } from '@berth/testing/use-server';
import { beforeAll, describe, expect, it } from 'vitest';

const server = useServer({ env: { CNAME_TARGET: 'cname.berth.dev', APEX_ADDRESSES: '192.0.2.10' }, clean: true });
let key: string;
let account: string;
let site: string;
beforeAll(async () => {
  ({ key, account } = await server().account('team'));
  site = await publish('mine');
});

const publish = async (text: string, owner = key, fields: Record<string, string> = {}) =>
  (await server().publish({ 'index.html': text }, { key: owner, fields })).deployment;
const send = (method: string, path: string, json?: unknown) => server().api(path, { method, key, json });
const putDomain = (name: string, body: object = {}) => send('PUT', `/domains/${name}`, body);
const readAs = <T>(path: string, schema: { strict(): { parse(value: unknown): T } }) =>
  send('GET', `/domains/${path}`).then((response) => readJson(response, 200, schema));
const validateName = async (path: string, body?: object) =>
  readJson(await send('POST', `/domains/${path}`, body), 200, DomainValidation);

let lastNumber = 0;
const platformName = () => `site-${(lastNumber += 1)}.localhost`;
const customName = () => `www.shop-${(lastNumber += 1)}.dev`;

describe('api §4: a domain over REST', () => {
  it('can be a custom domain, which is validated, created, linked, verified and deleted', async () => {
    const name = customName();
    const availableAnswer = { valid: true, normalized: name, available: true, reason: null };
    expect(await validateName('validate', { domain: name.toUpperCase() })).toEqual(availableAnswer);
    expect(await validateName(`${name}/validate`)).toEqual(availableAnswer);
    const created = readJson(await putDomain(name, { deployment: site, labels: ['shop'] }), 201, Domain);
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
    expect(await readAs(name, Domain)).toEqual(created);
    expect(await readAs(`${name}/records`, DomainRecords)).toEqual({
      domain: name,
      apex: false,
      records: [{ type: 'CNAME', name, value: expect.stringMatching(/^to-[a-z0-9]{7}\.cname\.berth\.dev$/) }],
    });
    const { hash, url } = await readAs(`${name}/share`, DomainShare);
    expect(url).toBe(`http://localhost:${server().port}/setup/${hash}`);
    expect(await readAs(`${name}/dns`, DomainDns)).toEqual({ domain: name, dns: null });
    const verifiedDomain = readJson(await send('POST', `/domains/${name}/verify`), 200, VerifiedDomain);
    expect(verifiedDomain).toMatchObject({ domain: name, status: 'pending', nextCheck: expect.any(Number) });
    expect(verifiedDomain.checks).toEqual([
      { type: 'CNAME', name, expected: expect.any(Array), found: [], ok: false, reason: expect.any(String) },
    ]);
    expect(readJson(await send('DELETE', `/domains/${name}`), 200, DeletedDomain)).toEqual({ domain: name });
    expectError(await send('GET', `/domains/${name}`), 'not_found');
  });

  it('can be a platform domain, which is linked and switched at once', async () => {
    const name = platformName();
    const siteText = async () => (await server().visit(`http://${name}`)).text;
    const created = readJson(await putDomain(name, { deployment: `${site}.localhost:${server().port}` }), 201, Domain);
    expect(created).toMatchObject({ url: `http://${name}:${server().port}`, deployment: site, status: 'success' });
    expect(readJson(await putDomain(name, { deployment: site }), 200, Domain)).toEqual(created);
    expect(await siteText()).toBe('mine');
    const { details } = expectError(await send('DELETE', `/deployments/${site}`), 'business_logic_error');
    expect(details).toEqual({ domains: [name] });
    const deployment = await publish('other');
    expect(readJson(await putDomain(name, { deployment }), 200, Domain)).toMatchObject({ deployment, links: 2 });
    expect(await siteText()).toBe('other');
  });
});

it.each<[string, ErrorCode, () => Promise<string | null>]>([
  ['no deployment', 'validation_failed', async () => null],
  ['a deployment of another account', 'not_found', async () => publish('theirs', (await server().account()).key)],
  ['a deployment that expires', 'business_logic_error', () => publish('short', key, { ttl: '3600' })],
])('api §4: a PUT of a domain with %s changes nothing', async (_, code, createDeployment) => {
  const [existing, deployment] = [platformName(), await createDeployment()];
  await putDomain(existing, { labels: ['kept'] });
  for (const name of [existing, platformName(), customName()])
    await expectRefusal(server(), code, () => putDomain(name, { deployment }));
});

it('api §6: a downgrade pauses a custom domain and keeps its records, and an upgrade resumes it', async () => {
  const name = customName();
  await putDomain(name, { deployment: site });
  await server().database.query(`update domain set status = 'success', verified = now() where name = $1`, [name]);
  const recordsBefore = await readAs(`${name}/records`, DomainRecords);
  const expectState = async (status: string, visit: object) => {
    expect(await readAs(name, Domain)).toMatchObject({ status, deployment: site });
    expect(await readAs(`${name}/records`, DomainRecords)).toEqual(recordsBefore);
    expect(await server().visit(`http://${name}`)).toMatchObject(visit);
  };
  await changePlan(server().berth.core, account, 'free', { atOnce: true });
  await expectState('paused', { status: 503, text: expect.stringContaining('paused') });
  expect((await server().visit(site)).status).toBe(200);
  await changePlan(server().berth.core, account, 'team');
  await expectState('success', { status: 200, text: 'mine' });
});

it.each([
  ['shop-spelled.localhost', ['SHOP-Spelled.LocalHost', 'shop-spelled.localhost.', 'shop%2Dspelled%2Elocalhost']],
  ['xn--bcher-kva.localhost', ['b%C3%BCcher.localhost', 'bu%CC%88cher.localhost', 'XN--BCHER-KVA.localhost']],
  ['www.xn--strae-oqa.de', ['www.stra%C3%9Fe.de', 'WWW%EF%BC%8Estra%C3%9Fe%E3%80%82de', 'www.xn--strae-oqa.de.']],
])('api §4: the domain %s is found under every spelling in a path', async (name, spellings) => {
  expect(readJson(await putDomain(spellings[0]!), 201, Domain).domain).toBe(name);
  for (const spelling of [name, ...spellings]) {
    expect((await readAs(spelling, Domain)).domain).toBe(name);
    expect(readJson(await putDomain(spelling), 200, Domain).domain).toBe(name);
    expect((await validateName(`${spelling}/validate`)).normalized).toBe(name);
  }
  expect(readJson(await send('DELETE', `/domains/${spellings.at(-1)!}`), 200, DeletedDomain).domain).toBe(name);
});

describe('T29: an invalid domain name', () => {
  it.each([
    ['validate', /two parts/],
    ['API.localhost', /reserved/],
    ['calm-otter-4k9x2qd.localhost', /form of a deployment id/],
    ['to-4k9x2qd.cname.berth.dev', /CNAME target/],
    ['shop.dev%2Fx', /scheme, port or path/],
    ['a%252eb.dev', /scheme, port or path/],
    ['shop.dev%00', /white space/],
    ['shop%0d%0aX-Evil:1.dev', /white space/],
    [`${'a.'.repeat(1_000)}dev`, /at most 253/],
    ["';%20drop%20table%20domain;%20--.dev", /white space/],
  ])('is refused by PUT, and reported by validate: %s', async (path, reason) => {
    const body = await expectRefusal(server(), 'validation_failed', () => putDomain(path, { deployment: site }));
    expect(body.details).toEqual({ issues: [{ path: 'domain', message: expect.stringMatching(reason) }] });
    const validation = await validateName(`${path}/validate`);
    expect(validation).toMatchObject({ valid: false, available: false, reason: expect.stringMatching(reason) });
    expect(await validateName('validate', { domain: decodeURIComponent(path) })).toEqual(validation);
  });

  it.each([
    ['an empty name', ''],
    ['a lone surrogate', '\ud800.dev'],
    ['a name of 60,000 characters', 'a'.repeat(60_000)],
  ])('is reported by validate if it is %s', async (_, domain) => {
    expect(await validateName('validate', { domain })).toMatchObject({ valid: false, normalized: null });
  });
});
