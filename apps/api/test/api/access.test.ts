import { ACCESS, type Actor, type Operation } from '@berth/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask as askRaw } from '../http/raw-socket.ts';
import { closeClean, expectErrorAnswer, expectRefusal, footprintOf } from '../standing-asserts.ts';
import { type Answer, type Ask, formOf, OWNER_KEY, startTestServer, type TestServer } from '../test-server.ts';

let server: TestServer;
/** A credential of each kind; `null` sends none. */
let credentials: Record<Actor | 'suspended' | 'terminated', string | null>;
let site: string;
beforeAll(async () => {
  server = await startTestServer();
  const { account, key, deployToken } = await server.account('team');
  const [suspended, terminated] = [await server.account(), await server.account()];
  credentials = {
    anonymous: null,
    api: key,
    deploy: deployToken,
    suspended: suspended.key,
    terminated: terminated.deployToken,
  };
  site = (await server.publish({ 'index.html': 'home' }, { key })).deployment;
  await server.database.query(`update account set state = 'suspended' where id = $1`, [suspended.account]);
  await server.database.query(`update account set state = 'terminated' where id = $1`, [terminated.account]);
  expect(account).not.toBe(suspended.account);
});
afterAll(() => closeClean(server));

const form = formOf({ 'index.html': 'home' });
/** How each operation of the table is asked on the REST face, and what success is. */
const OPERATIONS: Record<Operation, [method: string, path: () => string, status: number, ask?: Ask]> = {
  'deployments.create': [
    'POST',
    () => '/deployments',
    201,
    { headers: { 'Content-Type': form.contentType }, body: form.body },
  ],
  'deployments.list': ['GET', () => '/deployments', 200],
  'deployments.get': ['GET', () => `/deployments/${site}`, 200],
  'deployments.update': [
    'PATCH',
    () => `/deployments/${site}`,
    200,
    { headers: { 'Content-Type': 'application/json' }, body: '{"labels":[]}' },
  ],
  'deployments.delete': ['DELETE', () => `/deployments/${site}`, 202],
  'account.get': ['GET', () => '/account', 200],
  'activities.list': ['GET', () => '/activities', 200],
  'plans.list': ['GET', () => '/plans', 200],
  'platform.limits': ['GET', () => '/limits', 200],
  'platform.config': ['GET', () => '/config', 301],
  'platform.ping': ['GET', () => '/ping', 200],
};
const NAMES = Object.keys(OPERATIONS) as Operation[];

function call(operation: Operation, credential: string | null, headers: Record<string, string> = {}): Promise<Answer> {
  const [method, path, , ask = {}] = OPERATIONS[operation];
  return server.api(path(), { method, key: credential, ...ask, headers: { ...ask.headers, ...headers } });
}

function expectUnauthenticated(answer: Answer): void {
  expectErrorAnswer(answer, 'authentication_failed');
  expect(answer.headers['www-authenticate']).toBe('Bearer');
}

describe('T21: who may call what', () => {
  it('every operation has a row, and every row an operation', () => {
    expect(NAMES.toSorted()).toEqual(Object.keys(ACCESS).toSorted());
  });

  const cells = NAMES.filter((name) => name !== 'deployments.delete').flatMap((name) =>
    (['anonymous', 'deploy', 'api'] as const).map((actor) => [name, actor] as const),
  );
  it.each(cells)('%s, by %s', async (operation, actor) => {
    if ((ACCESS[operation] as readonly Actor[]).includes(actor)) {
      expect((await call(operation, credentials[actor])).status).toBe(OPERATIONS[operation][2]);
      return;
    }
    const before = await footprintOf(server);
    const answer = await call(operation, credentials[actor]);
    if (actor === 'anonymous') expectUnauthenticated(answer);
    else expectErrorAnswer(answer, 'forbidden');
    expect(await footprintOf(server)).toEqual(before);
  });

  it.each(NAMES)('service-api part 5: %s, by a suspended or terminated account, is 403', async (operation) => {
    for (const state of ['suspended', 'terminated'] as const)
      expect((await expectRefusal(server, 'forbidden', () => call(operation, credentials[state]))).message).toContain(
        state,
      );
  });

  it('deployments.delete, by a deploy token or nobody', async () => {
    await expectRefusal(server, 'forbidden', () => call('deployments.delete', credentials.deploy));
    await expectRefusal(server, 'authentication_failed', () => call('deployments.delete', null));
    expect((await server.visit(site)).status).toBe(200);
  });

  it('a deploy token learns nothing from what it may not do', async () => {
    for (const path of [`/deployments/${site}`, '/deployments/none']) {
      const answer = await server.api(path, { key: credentials.deploy! });
      expect(answer.text).toBe((await server.api('/account', { key: credentials.deploy! })).text);
    }
  });
});

describe('contract §1: an Authorization header that opens nothing is 401 everywhere', () => {
  const key = OWNER_KEY;
  const HEADERS: [string, string][] = [
    ['an empty one', ''],
    ['the scheme alone', 'Bearer'],
    ['the scheme and a space', 'Bearer '],
    ['no scheme', key],
    ['an unknown key', `Bearer ship-${'f'.repeat(32)}`],
    ['an unknown deploy token', `Bearer deploy-${'f'.repeat(32)}`],
    ['the right digits with the other prefix', `Bearer deploy-${key.slice(5)}`],
    ['the right digits without a prefix', `Bearer ${key.slice(5)}`],
    ['a key in capitals', `Bearer ${key.toUpperCase().replace('SHIP', 'ship')}F`.slice(0, -1).replace('1', 'G')],
    ['one digit less', `Bearer ${key.slice(0, -1)}`],
    ['one digit more', `Bearer ${key}0`],
    ['something behind it', `Bearer ${key} x`],
    ['a comma behind it', `Bearer ${key},`],
    ['quotes', `Bearer "${key}"`],
    ['two of them', `Bearer ${key}, Bearer ${key}`],
    ['a tab for a space', `Bearer\t${key}`],
    ['another scheme', `Basic ${Buffer.from(`x:${key}`).toString('base64')}`],
    ['another scheme with the key', `Token ${key}`],
    ['a colon', `Bearer: ${key}`],
    ['a hash', `Bearer ${'0'.repeat(64)}`],
    ['SQL', `Bearer ship-' or '1'='1`],
    ['8,000 characters', `Bearer ship-${'a'.repeat(8_000)}`],
    ['bytes that are no ASCII', 'Bearer ship-\u00e9'],
    ['null', 'null'],
  ];
  it.each(HEADERS)('%s', async (_, authorization) => {
    await expectRefusal(server, 'authentication_failed', () =>
      call('deployments.create', null, { Authorization: authorization }),
    );
    for (const operation of ['account.get', 'plans.list', 'platform.config', 'deployments.list'] as const)
      expectUnauthenticated(await call(operation, null, { Authorization: authorization }));
  });

  it('unknown, expired and revoked are told apart by nothing', async () => {
    const { account, key, deployToken } = await server.account();
    await server.database.query(
      `update token set expires = now() - interval '1 second' where account_id = $1 and kind = 'api'`,
      [account],
    );
    await server.database.query(`delete from token where account_id = $1 and kind = 'deploy'`, [account]);
    const answers = await Promise.all(
      [`ship-${'e'.repeat(32)}`, key, deployToken].map((credential) => server.api('/limits', { key: credential })),
    );
    for (const answer of answers) expectUnauthenticated(answer);
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  });

  it.each(['bearer', 'BEARER', 'BeArEr'])('RFC 9110: the scheme may be written %s', async (scheme) => {
    expect((await call('account.get', null, { Authorization: `${scheme} ${key}` })).status).toBe(200);
    expect((await call('account.get', null, { Authorization: `${scheme}   ${key}  ` })).status).toBe(200);
  });

  it('a second Authorization header is not taken for the first', async () => {
    const line = (credential: string) => `Authorization: Bearer ${credential}`;
    const both = (one: string, other: string) =>
      askRaw(server.port, 'GET /account HTTP/1.1', [`Host: localhost:${server.port}`, line(one), line(other)]);
    expect((await both('nonsense', key)).status).toBe(401);
    expect([200, 401]).toContain((await both(key, 'nonsense')).status);
  });

  it('a credential in the query, the body or a cookie is none', async () => {
    for (const path of [`/account?access_token=${key}`, `/account?authorization=Bearer%20${key}`])
      expectUnauthenticated(await server.api(path, { key: null }));
    expectUnauthenticated(
      await server.api('/account', {
        key: null,
        headers: { 'X-Api-Key': key, Cookie: `token=${key}`, 'Proxy-Authorization': `Bearer ${key}` },
      }),
    );
  });
});

it('contract §5: `used` moves, at most once a minute', async () => {
  const { account, key } = await server.account();
  const used = async () =>
    (
      await server.database.query<{ used: Date | null }>(
        `select used from token where account_id = $1 and kind = 'api'`,
        [account],
      )
    )[0]!.used?.getTime();
  expect(await used()).toBeUndefined();
  await server.api('/ping', { key });
  const first = await used();
  expect(first).toBeTypeOf('number');
  await server.api('/ping', { key });
  expect(await used()).toBe(first);
});
