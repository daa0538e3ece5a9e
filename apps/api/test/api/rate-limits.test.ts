import type { ErrorBody } from '@berth/contract';
import { DEFAULT_RATE_LIMITS } from '@berth/core';
import { expectError } from '@berth/testing/expectations';
import {
  createTestClient,
  type HttpResponse,
  OWNER_KEY,
  type RequestOptions,
  type TestClient,
} from '@berth/testing/requests';
import { testEnvironment } from '@berth/testing/server';
import { useServer } from '@berth/testing/use-server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Berth, startBerth } from '../../src/server.ts';

const ENV = { RATE_LIMITS: 'global=20/h, deploy=3/h, anonymous=2/h', TRUST_PROXY: '127.0.0.1' };

/** Both servers use this fixed time, so that no rate limit recovers during a test. */
const fixedTime = new Date();
const parts = () => ({ now: () => fixedTime });
const server = useServer({ env: ENV, parts, clean: true });
let secondServer: Berth & TestClient;
beforeAll(async () => {
  const env = testEnvironment(server().database, server().dataDir, ENV);
  const berth = await startBerth(env, server().berth.core.log, { parts });
  secondServer = { ...berth, ...createTestClient(berth.config.port) };
});
afterAll(() => secondServer.close());

/** Adds the address of the client to a request, as a proxy does. */
const fromAddress = (address: string, options: RequestOptions = {}): RequestOptions => ({
  key: null,
  ...options,
  headers: { ...options.headers, 'X-Forwarded-For': address },
});

let usedAddresses = 0;
const freshAddress = () => `198.51.100.${(usedAddresses += 1)}`;

function limitOf({ headers }: HttpResponse) {
  return {
    limit: Number(headers['ratelimit-limit']),
    remaining: Number(headers['ratelimit-remaining']),
    reset: Number(headers['ratelimit-reset']),
  };
}

async function remainingOf(path: string, options: RequestOptions): Promise<number> {
  return limitOf(await server().api(path, options)).remaining;
}

function expectTooMany(response: HttpResponse): ErrorBody {
  const body = expectError(response, 'rate_limit_exceeded');
  const { retryAfter } = body.details as { retryAfter: number };
  expect(response.headers['retry-after']).toBe(String(retryAfter));
  expect(Number.isInteger(retryAfter) && retryAfter >= 1 && retryAfter <= 3600).toBe(true);
  expect(body.details).toEqual({ retryAfter });
  expect(response.headers['access-control-allow-origin']).toBe('*');
  return body;
}

describe('api §7: the rate limit headers', () => {
  const BATCH_PATH = `/trpc/plans.list,platform.ping?batch=1`;
  it.each<[string, number, string, RequestOptions]>([
    ['a success', 200, '/plans', {}],
    ['a redirect', 301, '/config', {}],
    ['an unknown path', 404, '/nowhere', {}],
    ['a doubled slash', 404, '//plans', {}],
    ['an unsupported method', 405, '/plans', { method: 'DELETE' }],
    ['an invalid escape', 400, '/deployments/%ff', {}],
    ['a missing credential', 401, '/account', {}],
    ['an invalid credential', 401, '/account', { key: `ship-${'9'.repeat(32)}` }],
    ['a deploy refused without reading its body', 400, '/deployments', { method: 'POST', body: 'x' }],
    ['a tRPC call', 200, '/trpc/plans.list', {}],
    ['a tRPC call that fails', 401, '/trpc/account.get', {}],
    ['a batch', 207, BATCH_PATH, {}],
    ['an unknown procedure', 404, '/trpc/no.such', {}],
    ['a tRPC call with an unsupported method', 405, '/trpc/plans.list', { method: 'PUT' }],
    ['a batch that is too large', 400, `/trpc/${Array(11).fill('plans.list').join()}?batch=1`, {}],
    ['a HEAD request', 200, '/plans', { method: 'HEAD' }],
  ])('are sent for %s', async (_, status, path, options) => {
    const response = await server().api(path, fromAddress(freshAddress(), options));
    expect(response.status).toBe(status);
    const calls = path === BATCH_PATH ? 2 : path.includes('batch=1') ? 10 : 1;
    expect(limitOf(response)).toEqual({ limit: 20, remaining: 20 - calls, reset: 180 * calls });
    expect(response.headers['access-control-expose-headers']).toContain('RateLimit-Remaining');
  });

  it('are not sent for preflights, health checks and the reference, which are not counted', async () => {
    const options = fromAddress(freshAddress());
    for (const [path, method] of [
      ['/plans', 'OPTIONS'],
      ['/healthz', 'GET'],
      ['/openapi.json', 'GET'],
    ] as const)
      expect((await server().api(path, { ...options, method })).headers).not.toHaveProperty('ratelimit-limit');
    expect(await remainingOf('/plans', options)).toBe(19);
  });

  it('show the limit with the smallest remaining share', async () => {
    const address = freshAddress();
    const firstResponse = await server().deploy({ 'index.html': 'one' }, fromAddress(address));
    expect([firstResponse.status, limitOf(firstResponse)]).toEqual([201, { limit: 2, remaining: 1, reset: 1800 }]);
    for (let call = 0; call < 10; call += 1) await server().api('/plans', fromAddress(address));
    expect(limitOf(await server().api('/plans', fromAddress(address)))).toMatchObject({ limit: 20, remaining: 8 });
  });
});

describe('api §7: the global limit', () => {
  it('is shared by all credentials of an account, and separate for each account, including the owner', async () => {
    const { key, deployToken } = await server().account();
    const neighbour = await server().account();
    for (let remaining = 19; remaining >= 0; remaining -= 1)
      expect(await remainingOf('/limits', { key: remaining % 2 ? key : deployToken })).toBe(remaining);
    expect(await remainingOf('/limits', { key: OWNER_KEY })).toBe(19);
    expectTooMany(await server().api('/account', { key }));
    expectTooMany(await server().api('/limits', { key: deployToken }));
    expectTooMany(await server().deploy({ 'index.html': 'x' }, { key }));
    expect((await server().api('/account', { key: neighbour.key })).status).toBe(200);
  });

  it('T27: counts every call of a batch, even if its commas are percent-encoded', async () => {
    const options = fromAddress(freshAddress());
    expect(await remainingOf('/trpc/plans.list,plans.list%2Cplans.list%2cplans.list?batch=1', options)).toBe(16);
    expect(await remainingOf(`/trpc/${Array(10).fill('plans.list').join()}?batch=1`, options)).toBe(6);
    const refusedBatch = await server().api(`/trpc/${Array(7).fill('plans.list').join()}?batch=1`, options);
    expect(refusedBatch.status).toBe(429);
    expect(refusedBatch.json()).toMatchObject({
      error: { data: { error: 'rate_limit_exceeded', status: 429, details: { retryAfter: 180 } } },
    });
    expect(refusedBatch.headers['retry-after']).toBe('180');
    expect(limitOf(refusedBatch)).toMatchObject({ limit: 20, remaining: 6 });
    expect(await remainingOf('/trpc/plans.list', options)).toBe(5);
  });

  it('T27: applies to unusual spellings of paths, unknown paths and unsupported methods', async () => {
    const options = fromAddress(freshAddress());
    for (let call = 0; call < 20; call += 1) await server().api('/plans', options);
    const spellings = ['//plans', '/plans/', '/PLANS', '/plans?x=1', '/./plans', '/%70lans'];
    for (const path of [...spellings, '/nowhere', '/trpc/a/b', '/trpc', '/deployments/%ff'])
      expectTooMany(await server().api(path, options));
    expectTooMany(await server().api('/plans', { ...options, method: 'DELETE' }));
    expect((await server().api('/trpc/plans.list', options)).status).toBe(429);
    expect((await server().api('/trpc/plans.list', { ...options, method: 'PUT' })).status).toBe(429);
  });

  it('T27: counts invalid credentials by address, without affecting valid credentials', async () => {
    const { key } = await server().account();
    const address = freshAddress();
    const tryKey = (i: number) =>
      server().api('/account', fromAddress(address, { key: `ship-${i.toString(16).padStart(32, '0')}` }));
    for (let i = 100; i < 120; i += 1) expect((await tryKey(i)).status).toBe(401);
    expectTooMany(await tryKey(120));
    expectTooMany(
      await server().api('/plans', fromAddress(address, { key: null, headers: { Authorization: 'Basic eA==' } })),
    );
    expect((await server().api('/account', fromAddress(address, { key }))).status).toBe(200);
  });

  it('is shared by two servers on one database', async () => {
    const { key } = await server().account();
    for (let remaining = 19; remaining >= 0; remaining -= 1)
      expect(limitOf(await (remaining % 2 ? server() : secondServer).api('/account', { key })).remaining).toBe(
        remaining,
      );
    expectTooMany(await server().api('/account', { key }));
    expectTooMany(await secondServer.api('/account', { key }));
  });
});

describe('T12, T27: the address of a client', () => {
  it('is the hop that the proxy saw, whatever hops the client sent', async () => {
    await server().api('/plans', fromAddress('203.0.113.1, 192.0.2.11'));
    expect(await remainingOf('/plans', fromAddress('203.0.113.2, 192.0.2.11'))).toBe(18);
  });

  it('is counted as its /64 network, so that another address of the network does not avoid the limit', async () => {
    const statuses = await Promise.all(
      Array.from({ length: 30 }, (_, i) => server().api('/plans', fromAddress(`2001:db8:4:4:${i.toString(16)}::${i}`))),
    );
    expect(statuses.filter(({ status }) => status === 200)).toHaveLength(20);
    expect(statuses.filter(({ status }) => status === 429)).toHaveLength(10);
  });
});

describe('api §7: the limit on deploys', () => {
  const SITE = { 'index.html': 'home' };

  it('is separate for each credential', async () => {
    const { key, deployToken } = await server().account();
    for (let remaining = 2; remaining >= 0; remaining -= 1)
      expect(limitOf(await server().deploy(SITE, { key }))).toMatchObject({ limit: 3, remaining });
    const refusedDeploy = await server().deploy(SITE, { key });
    expectTooMany(refusedDeploy);
    expect(limitOf(refusedDeploy)).toMatchObject({ limit: 3, remaining: 0 });
    expect((await server().deploy(SITE, { key: deployToken })).status).toBe(201);
    expect((await server().api('/account', { key })).status).toBe(200);
  });

  it('is lower for an anonymous address, and shared by servers', async () => {
    const perSecond = ({ count, perSeconds }: { count: number; perSeconds: number }) => count / perSeconds;
    expect(perSecond(DEFAULT_RATE_LIMITS.anonymous)).toBeLessThan(perSecond(DEFAULT_RATE_LIMITS.deploy));
    const options = fromAddress(freshAddress());
    expect((await server().deploy(SITE, options)).status).toBe(201);
    expect((await secondServer.deploy(SITE, options)).status).toBe(201);
    expectTooMany(await server().deploy(SITE, options));
    expectTooMany(await secondServer.deploy(SITE, options));
    expect((await server().deploy(SITE, fromAddress(freshAddress()))).status).toBe(201);
  });

  it('api §3: is not charged for a replay, even when no deploy remains; the global limit is charged', async () => {
    const { key } = await server().account();
    const request = { key, headers: { 'Idempotency-Key': 'again' } };
    const originalDeploy = await server().deploy(SITE, request);
    for (let call = 0; call < 2; call += 1) await server().deploy(SITE, { key });
    expectTooMany(await server().deploy(SITE, { key }));
    const replayedDeploy = await server().deploy(SITE, request);
    expect([replayedDeploy.status, replayedDeploy.headers['idempotency-replay'], replayedDeploy.text]).toEqual([
      201,
      'true',
      originalDeploy.text,
    ]);
    expect(limitOf(replayedDeploy)).toMatchObject({ limit: 20, remaining: 15 });
  });

  it('api §3: is charged once when two servers get a deploy with the same idempotency key at the same time', async () => {
    const { key, account } = await server().account();
    const request = { key, headers: { 'Idempotency-Key': 'both' } };
    const responses = await Promise.all([server(), secondServer].map(({ deploy }) => deploy(SITE, request)));
    expect(responses.map(({ status }) => status)).toEqual([201, 201]);
    expect(new Set(responses.map(({ text }) => text)).size).toBe(1);
    expect(responses.filter(({ headers }) => headers['idempotency-replay'] === 'true')).toHaveLength(1);
    expect(await server().database.query(`select id from deployment where account_id = $1`, [account])).toHaveLength(1);
    expect(limitOf(await server().deploy(SITE, { key }))).toMatchObject({ limit: 3, remaining: 1 });
  });

  it('is charged for a deploy that is refused', async () => {
    const { key } = await server().account();
    expect((await server().deploy(SITE, { key, fields: { nonsense: 'x' } })).status).toBe(400);
    expect(limitOf(await server().deploy(SITE, { key }))).toMatchObject({ limit: 3, remaining: 1 });
  });

  it('T4: is reported with 429 to a client that is still sending, and nothing of the upload is kept', async () => {
    const { key } = await server().account();
    for (let call = 0; call < 3; call += 1) await server().deploy(SITE, { key });
    const largeFiles = { 'a.bin': Buffer.alloc(6 * 1024 ** 2, 'x') };
    expectTooMany(await server().deploy(largeFiles, { key }));
    expect([...server().berth.core.activePacks]).toEqual([]);
  });
});
