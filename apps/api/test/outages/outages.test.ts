import type { HttpResponse, TestClient } from '@berth/testing/requests';
import { startServer, type TestServer } from '@berth/testing/server';
import { afterEach, describe, expect, it } from 'vitest';
import { createDatabaseProxy, type DatabaseProxy } from './database-proxy.ts';

const PAGE = { 'index.html': '<h1>Ahoy</h1>' };
/** The maximum time of a response before the server has noticed that its database is silent. */
const DETECTION_MS = 2_000;
/** The maximum time of a response after that, as the median of {@link RESPONSES}. */
const OUTAGE_RESPONSE_MS = 50;
const RESPONSES = 5;

let proxy: DatabaseProxy;
let server: TestServer;
afterEach(async () => {
  await proxy.restore();
  await expect.poll(() => server.berth.core.database.isReady()).toBe(true);
  await server.close();
  await proxy.close();
});

async function startBehindProxy(env: Record<string, string> = {}): Promise<void> {
  server = await startServer({
    env: async (database) => {
      proxy = await createDatabaseProxy(database);
      return { ...env, DATABASE_URL: proxy.url };
    },
  });
}

async function measureResponse(work: Promise<HttpResponse>): Promise<HttpResponse & { ms: number }> {
  const startedAt = performance.now();
  const response = await work;
  return { ...response, ms: performance.now() - startedAt };
}

/** Publishes a site and visits it until it is served from memory. */
async function publishCached(client: TestClient, fields: Record<string, string> = {}): Promise<string> {
  const { deployment } = await client.publish(PAGE, { fields });
  for (let visit = 0; visit < 5; visit += 1) await client.visit(deployment);
  return deployment;
}

function expectUnavailable(response: HttpResponse): void {
  expect(response.status, response.text).toBe(503);
  expect(Number(response.headers['retry-after'])).toBeGreaterThanOrEqual(1);
}

const countLogged = (text: string) => server.logged.filter(({ message }) => message.startsWith(text)).length;
/** Waits until sites in memory count as stale. */
const waitUntilStale = () =>
  expect.poll(() => performance.now() - server.berth.core.database.changes.confirmedAt).toBeGreaterThan(1_000);

describe('scale B2: a database that becomes silent', () => {
  it('delays a cached page by at most 2 s, and then makes every response a 503 at once until it responds again', async () => {
    await startBehindProxy();
    const deployment = await publishCached(server);
    proxy.silence();
    await waitUntilStale();
    const firstResponses = await Promise.all([
      measureResponse(server.visit(deployment)),
      measureResponse(server.api('/account')),
      measureResponse(server.deploy(PAGE)),
      measureResponse(server.api('/healthz', { key: null })),
    ]);
    for (const response of firstResponses) {
      expectUnavailable(response);
      expect(response.ms).toBeLessThan(DETECTION_MS);
    }
    for (const sendRequest of [
      () => server.visit(deployment),
      () => server.visit('calm-otter-0000000'),
      () => server.api('/account'),
      () => server.deploy(PAGE),
      () => server.api('/healthz', { key: null }),
    ]) {
      const responses: HttpResponse[] = [];
      const medianMs = async () => {
        const responseTimes: number[] = [];
        for (let n = 0; n < RESPONSES; n += 1) {
          const response = await measureResponse(sendRequest());
          responses.push(response);
          responseTimes.push(response.ms);
        }
        return responseTimes.toSorted((a, b) => a - b)[Math.floor(RESPONSES / 2)];
      };
      // Other tests that keep the machine busy can delay a few responses.
      await expect.poll(medianMs).toBeLessThan(OUTAGE_RESPONSE_MS);
      for (const response of responses) expectUnavailable(response);
    }
    expect(countLogged('The database does not answer')).toBe(1);
    expect(countLogged('A dependency is unavailable')).toBe(0);

    await proxy.restore();
    await expect.poll(async () => (await server.visit(deployment)).status, { timeout: 5_000 }).toBe(200);
    expect((await server.api('/account')).status).toBe(200);
    expect((await server.api('/healthz', { key: null })).status).toBe(200);
    expect(countLogged('The database answers again')).toBe(1);
  });

  it('can be reached by new connections if only the old connections are silent', async () => {
    await startBehindProxy();
    const deployment = await publishCached(server);
    proxy.swallow();
    await waitUntilStale();
    const [visitResponse, accountResponse] = await Promise.all([
      measureResponse(server.visit(deployment)),
      measureResponse(server.api('/account')),
    ]);
    expect(visitResponse.ms).toBeLessThan(DETECTION_MS);
    expect(accountResponse.ms).toBeLessThan(DETECTION_MS);
    for (const response of [visitResponse, accountResponse]) if (response.status !== 200) expectUnavailable(response);
    await expect.poll(async () => (await server.visit(deployment)).status, { timeout: 5_000 }).toBe(200);
    expect((await server.api('/account')).status).toBe(200);
    expect(countLogged('The database does not answer')).toBe(0);
  });

  it('is distinguished from a database that runs a long statement', async () => {
    await startBehindProxy();
    const { database } = server.berth.core;
    const slowStatement = database.prepared('select pg_sleep(3), 1 as done', []);
    expect((await slowStatement) as unknown).toMatchObject([{ done: 1 }]);
    expect(server.logged.filter(({ level }) => level === 'warn')).toEqual([]);
  });
});

it('an outage of the database causes a 503 with Retry-After at once, is logged once, and has no lasting effect', async () => {
  await startBehindProxy();
  const deployment = await publishCached(server);
  await proxy.refuse();
  await expect.poll(async () => (await server.visit(deployment)).status, { timeout: 5_000 }).toBe(503);
  for (let n = 0; n < 20; n += 1) {
    expectUnavailable(await server.visit(deployment));
    expectUnavailable(await server.api('/account'));
  }
  expect(countLogged('The database does not answer')).toBe(1);
  expect(countLogged('A dependency is unavailable')).toBeLessThanOrEqual(3);
  await proxy.restore();
  await expect.poll(async () => (await server.visit(deployment)).status, { timeout: 5_000 }).toBe(200);
});

describe('api §10: STALE_SECONDS', () => {
  const outages = [
    ['silent', () => proxy.silence()],
    ['unreachable', () => proxy.refuse()],
  ] as const;

  it.each(outages)('allows only cached public sites while the database is %s', async (_, beginOutage) => {
    await startBehindProxy({ STALE_SECONDS: '600' });
    const publicSite = await publishCached(server);
    const protectedSite = await publishCached(server, { password: 'open sesame' });
    const uncachedSite = (await server.publish({ 'index.html': 'cold' })).deployment;
    const domainUrl = `http://stale.localhost:${server.port}`;
    const link = { method: 'PUT', json: { deployment: publicSite } };
    expect((await server.api('/domains/stale.localhost', link)).status).toBe(201);
    for (let visit = 0; visit < 5; visit += 1) await server.visit(domainUrl);
    await beginOutage();
    await waitUntilStale();
    for (let visit = 0; visit < 10; visit += 1) {
      for (const site of [publicSite, domainUrl]) {
        const response = await measureResponse(server.visit(site));
        expect(response.text).toBe(PAGE['index.html']);
        expect(response.ms).toBeLessThan(visit === 0 ? 2 * DETECTION_MS : 200);
      }
      expectUnavailable(await server.visit(protectedSite));
      expectUnavailable(await server.visit(uncachedSite));
      expectUnavailable(await server.api('/account'));
    }
    await proxy.restore();
    await expect.poll(async () => (await server.visit(uncachedSite)).status, { timeout: 5_000 }).toBe(200);
    expect((await server.visit(publicSite)).status).toBe(200);
  });

  it('allows every file of a site in memory, even if it was never visited', async () => {
    await startBehindProxy({ STALE_SECONDS: '600' });
    const { deployment } = await server.publish({ ...PAGE, 'docs/index.html': 'never visited', '404.html': 'lost' });
    for (let visit = 0; visit < 5; visit += 1) await server.visit(deployment);
    await proxy.refuse();
    await waitUntilStale();
    expect(await server.visit(deployment, '/docs/')).toMatchObject({ status: 200, text: 'never visited' });
    expect(await server.visit(deployment, '/missing')).toMatchObject({ status: 404, text: 'lost' });
  });

  it('limits how long cached sites are served during an outage', async () => {
    await startBehindProxy({ STALE_SECONDS: '3' });
    const publicSite = await publishCached(server);
    await proxy.refuse();
    await waitUntilStale();
    expect((await server.visit(publicSite)).status).toBe(200);
    await expect.poll(async () => (await server.visit(publicSite)).status, { timeout: 10_000 }).toBe(503);
  });

  it('does not hide a change that was made during an outage once the database is reachable again', async () => {
    await startBehindProxy({ STALE_SECONDS: '600' });
    const publicSite = await publishCached(server);
    proxy.silence();
    await waitUntilStale();
    expect((await server.visit(publicSite)).status).toBe(200);
    await server.database.query(`update deployment set taken_down = now() where id = $1`, [publicSite]);
    expect((await server.visit(publicSite)).status).toBe(200);
    await proxy.restore();
    await expect.poll(async () => (await server.visit(publicSite)).status, { timeout: 5_000 }).toBe(451);
  });
});
