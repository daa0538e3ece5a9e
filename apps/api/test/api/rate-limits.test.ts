import type { ErrorBody } from '@berth/contract';
import { DEFAULT_RATE_LIMITS } from '@berth/core';
import { expectErrorAnswer } from '@berth/testing/expectations';
import { type Answer, type Ask, askerOf, OWNER_KEY } from '@berth/testing/requests';
import { testEnvironment } from '@berth/testing/server';
import { useServer } from '@berth/testing/use-server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startBerth, type Berth } from '../../src/server.ts';

const ENV = { RATE_LIMITS: 'global=20/h, deploy=3/h, anonymous=2/h', TRUST_PROXY: '127.0.0.1' };

/** The clocks of both servers are stopped, so that no bucket refills while a test runs. */
const start = new Date();
const parts = () => ({ now: () => start });
const server = useServer({ env: ENV, parts, clean: true });
/** Another server on the same database and folder. */
let other: Berth & ReturnType<typeof askerOf>;
beforeAll(async () => {
  const env = testEnvironment(server().database, server().dataDir, ENV);
  const berth = await startBerth(env, server().berth.core.log, { parts });
  other = { ...berth, ...askerOf(berth.config.port) };
});
afterAll(() => other.close());

/** Sends a request as the client that a proxy names. */
const from = (address: string, ask: Ask = {}): Ask => ({
  key: null,
  ...ask,
  headers: { ...ask.headers, 'X-Forwarded-For': address },
});

let addresses = 0;
const freshAddress = () => `198.51.100.${(addresses += 1)}`;

/** What the answer says about the limit. */
function limitOf({ headers }: Answer) {
  return {
    limit: Number(headers['ratelimit-limit']),
    remaining: Number(headers['ratelimit-remaining']),
    reset: Number(headers['ratelimit-reset']),
  };
}

async function remainingOf(path: string, ask: Ask): Promise<number> {
  return limitOf(await server().api(path, ask)).remaining;
}

function expectTooMany(answer: Answer): ErrorBody {
  const body = expectErrorAnswer(answer, 'rate_limit_exceeded');
  const { retryAfter } = body.details as { retryAfter: number };
  expect(answer.headers['retry-after']).toBe(String(retryAfter));
  expect(Number.isInteger(retryAfter) && retryAfter >= 1 && retryAfter <= 3600).toBe(true);
  expect(body.details).toEqual({ retryAfter });
  expect(answer.headers['access-control-allow-origin']).toBe('*');
  return body;
}

describe('api §7: every answer of the API shows the limit', () => {
  const BATCH = `/trpc/plans.list,platform.ping?batch=1`;
  it.each<[string, number, string, Ask]>([
    ['an answer', 200, '/plans', {}],
    ['a redirect', 301, '/config', {}],
    ['an unknown path', 404, '/nowhere', {}],
    ['a doubled slash', 404, '//plans', {}],
    ['the wrong method', 405, '/plans', { method: 'DELETE' }],
    ['a broken escape', 400, '/deployments/%ff', {}],
    ['no credential', 401, '/account', {}],
    ['an invalid credential', 401, '/account', { key: `ship-${'9'.repeat(32)}` }],
    ['a deploy refused without reading its body', 400, '/deployments', { method: 'POST', body: 'x' }],
    ['a typed call', 200, '/trpc/plans.list', {}],
    ['a typed call that fails', 401, '/trpc/account.get', {}],
    ['a batch', 207, BATCH, {}],
    ['an unknown procedure', 404, '/trpc/no.such', {}],
    ['a typed call with the wrong method', 405, '/trpc/plans.list', { method: 'PUT' }],
    ['too large a batch', 400, `/trpc/${Array(11).fill('plans.list').join()}?batch=1`, {}],
    ['HEAD', 200, '/plans', { method: 'HEAD' }],
  ])('%s', async (_, status, path, ask) => {
    const answer = await server().api(path, from(freshAddress(), ask));
    expect(answer.status).toBe(status);
    const calls = path === BATCH ? 2 : path.includes('batch=1') ? 10 : 1;
    expect(limitOf(answer)).toEqual({ limit: 20, remaining: 20 - calls, reset: 180 * calls });
    expect(answer.headers['access-control-expose-headers']).toContain('RateLimit-Remaining');
  });

  it('except a preflight, a health check and the reference, which cost nothing', async () => {
    const ask = from(freshAddress());
    for (const [path, method] of [
      ['/plans', 'OPTIONS'],
      ['/healthz', 'GET'],
      ['/openapi.json', 'GET'],
    ] as const)
      expect((await server().api(path, { ...ask, method })).headers).not.toHaveProperty('ratelimit-limit');
    expect(await remainingOf('/plans', ask)).toBe(19);
  });

  it('that has the smallest remaining share, when several limits apply', async () => {
    const address = freshAddress();
    const first = await server().deploy({ 'index.html': 'one' }, from(address));
    expect([first.status, limitOf(first)]).toEqual([201, { limit: 2, remaining: 1, reset: 1800 }]);
    for (let call = 0; call < 10; call += 1) await server().api('/plans', from(address));
    expect(limitOf(await server().api('/plans', from(address)))).toMatchObject({ limit: 20, remaining: 8 });
  });
});

describe('api §7: the global limit', () => {
  it('is shared by all credentials of an account, and separate for other accounts, the owner included', async () => {
    const { key, deployToken } = await server().account();
    const neighbour = await server().account();
    for (let left = 19; left >= 0; left -= 1)
      expect(await remainingOf('/limits', { key: left % 2 ? key : deployToken })).toBe(left);
    expect(await remainingOf('/limits', { key: OWNER_KEY })).toBe(19);
    expectTooMany(await server().api('/account', { key }));
    expectTooMany(await server().api('/limits', { key: deployToken }));
    expectTooMany(await server().deploy({ 'index.html': 'x' }, { key }));
    expect((await server().api('/account', { key: neighbour.key })).status).toBe(200);
  });

  it('T27: counts the calls of a batch, however its commas are written', async () => {
    const ask = from(freshAddress());
    expect(await remainingOf('/trpc/plans.list,plans.list%2Cplans.list%2cplans.list?batch=1', ask)).toBe(16);
    expect(await remainingOf(`/trpc/${Array(10).fill('plans.list').join()}?batch=1`, ask)).toBe(6);
    const refused = await server().api(`/trpc/${Array(7).fill('plans.list').join()}?batch=1`, ask);
    expect(refused.status).toBe(429);
    expect(refused.json()).toMatchObject({
      error: { data: { error: 'rate_limit_exceeded', status: 429, details: { retryAfter: 180 } } },
    });
    expect(refused.headers['retry-after']).toBe('180');
    expect(limitOf(refused)).toMatchObject({ limit: 20, remaining: 6 });
    expect(await remainingOf('/trpc/plans.list', ask)).toBe(5);
  });

  it('T27: applies to odd spellings, unknown paths and wrong methods', async () => {
    const ask = from(freshAddress());
    for (let call = 0; call < 20; call += 1) await server().api('/plans', ask);
    const spellings = ['//plans', '/plans/', '/PLANS', '/plans?x=1', '/./plans', '/%70lans'];
    for (const path of [...spellings, '/nowhere', '/trpc/a/b', '/trpc', '/deployments/%ff'])
      expectTooMany(await server().api(path, ask));
    expectTooMany(await server().api('/plans', { ...ask, method: 'DELETE' }));
    expect((await server().api('/trpc/plans.list', ask)).status).toBe(429);
    expect((await server().api('/trpc/plans.list', { ...ask, method: 'PUT' })).status).toBe(429);
  });

  it('T27: applies to invalid credentials, and spares valid ones', async () => {
    const { key } = await server().account();
    const address = freshAddress();
    const guess = (at: number) =>
      server().api('/account', from(address, { key: `ship-${at.toString(16).padStart(32, '0')}` }));
    for (let at = 100; at < 120; at += 1) expect((await guess(at)).status).toBe(401);
    expectTooMany(await guess(120));
    expectTooMany(await server().api('/plans', from(address, { key: null, headers: { Authorization: 'Basic eA==' } })));
    expect((await server().api('/account', from(address, { key }))).status).toBe(200);
  });

  it('is shared by two servers on one database', async () => {
    const { key } = await server().account();
    for (let left = 19; left >= 0; left -= 1)
      expect(limitOf(await (left % 2 ? server() : other).api('/account', { key })).remaining).toBe(left);
    expectTooMany(await server().api('/account', { key }));
    expectTooMany(await other.api('/account', { key }));
  });
});

describe('T12, T27: the address of a client', () => {
  it('is the one before the hop of the proxy, whatever hops the client sent', async () => {
    await server().api('/plans', from('203.0.113.1, 192.0.2.11'));
    expect(await remainingOf('/plans', from('203.0.113.2, 192.0.2.11'))).toBe(18);
  });

  it('cannot be rotated inside a /64 to avoid the limit', async () => {
    const statuses = await Promise.all(
      Array.from({ length: 30 }, (_, at) => server().api('/plans', from(`2001:db8:4:4:${at.toString(16)}::${at}`))),
    );
    expect(statuses.filter(({ status }) => status === 200)).toHaveLength(20);
    expect(statuses.filter(({ status }) => status === 429)).toHaveLength(10);
  });
});

describe('api §7: the limit on deploys', () => {
  const SITE = { 'index.html': 'home' };

  it('is separate for each credential', async () => {
    const { key, deployToken } = await server().account();
    for (let left = 2; left >= 0; left -= 1)
      expect(limitOf(await server().deploy(SITE, { key }))).toMatchObject({ limit: 3, remaining: left });
    const refused = await server().deploy(SITE, { key });
    expectTooMany(refused);
    expect(limitOf(refused)).toMatchObject({ limit: 3, remaining: 0 });
    expect((await server().deploy(SITE, { key: deployToken })).status).toBe(201);
    expect((await server().api('/account', { key })).status).toBe(200);
  });

  it('is tighter for an anonymous address, and shared by servers', async () => {
    const perSecond = ({ count, perSeconds }: { count: number; perSeconds: number }) => count / perSeconds;
    expect(perSecond(DEFAULT_RATE_LIMITS.anonymous)).toBeLessThan(perSecond(DEFAULT_RATE_LIMITS.deploy));
    const ask = from(freshAddress());
    expect((await server().deploy(SITE, ask)).status).toBe(201);
    expect((await other.deploy(SITE, ask)).status).toBe(201);
    expectTooMany(await server().deploy(SITE, ask));
    expectTooMany(await other.deploy(SITE, ask));
    expect((await server().deploy(SITE, from(freshAddress()))).status).toBe(201);
  });

  it('api §3: is not charged for a replay, even when none is left; the global limit is charged once', async () => {
    const { key } = await server().account();
    const again = { key, headers: { 'Idempotency-Key': 'again' } };
    const first = await server().deploy(SITE, again);
    for (let call = 0; call < 2; call += 1) await server().deploy(SITE, { key });
    expectTooMany(await server().deploy(SITE, { key }));
    const replay = await server().deploy(SITE, again);
    expect([replay.status, replay.headers['idempotency-replay'], replay.text]).toEqual([201, 'true', first.text]);
    expect(limitOf(replay)).toMatchObject({ limit: 20, remaining: 15 });
  });

  it('api §3: is charged once for two requests in parallel with one key on two servers, of which one deploys', async () => {
    const { key, account } = await server().account();
    const again = { key, headers: { 'Idempotency-Key': 'both' } };
    const answers = await Promise.all([server(), other].map((one) => one.deploy(SITE, again)));
    expect(answers.map(({ status }) => status)).toEqual([201, 201]);
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(answers.filter(({ headers }) => headers['idempotency-replay'] === 'true')).toHaveLength(1);
    expect(await server().database.query(`select id from deployment where account_id = $1`, [account])).toHaveLength(1);
    expect(limitOf(await server().deploy(SITE, { key }))).toMatchObject({ limit: 3, remaining: 1 });
  });

  it('is charged for a refused deploy', async () => {
    const { key } = await server().account();
    expect((await server().deploy(SITE, { key, fields: { nonsense: 'x' } })).status).toBe(400);
    expect(limitOf(await server().deploy(SITE, { key }))).toMatchObject({ limit: 3, remaining: 1 });
  });

  it('T4: sends a 429 to a client that is still sending, and keeps nothing of its upload', async () => {
    const { key } = await server().account();
    for (let call = 0; call < 3; call += 1) await server().deploy(SITE, { key });
    const large = { 'a.bin': Buffer.alloc(6 * 1024 ** 2, 'x') };
    expectTooMany(await server().deploy(large, { key }));
    expect([...server().berth.core.activePacks]).toEqual([]);
  });
});
