import type { Answer, askerOf } from '@berth/testing/requests';
import { startServer, type TestServer } from '@berth/testing/server';
import { afterEach, describe, expect, it } from 'vitest';
import { createDatabaseProxy, type DatabaseProxy } from './database-proxy.ts';

type Asker = ReturnType<typeof askerOf>;

const PAGE = { 'index.html': '<h1>Ahoy</h1>' };
/**
 * The maximum time that a visitor waits until the server knows that its database is silent, and for each answer after
 * that.
 */
const FIRST_MS = 2_000;
const KNOWN_MS = 50;

let proxy: DatabaseProxy;
let server: TestServer;
afterEach(async () => {
  await proxy.restore();
  await expect.poll(() => server.berth.core.database.isReady()).toBe(true);
  await server.close();
  await proxy.close();
});

async function start(env: Record<string, string> = {}): Promise<void> {
  server = await startServer({
    env: async (database) => {
      proxy = await createDatabaseProxy(database);
      return { ...env, DATABASE_URL: proxy.url };
    },
  });
}

async function timed(work: Promise<Answer>): Promise<Answer & { ms: number }> {
  const startedAt = performance.now();
  const answer = await work;
  return { ...answer, ms: performance.now() - startedAt };
}

/** Publishes a site and visits it until it is served from memory. */
async function publishHot(asker: Asker, fields: Record<string, string> = {}): Promise<string> {
  const { deployment } = await asker.publish(PAGE, { fields });
  for (let visit = 0; visit < 5; visit += 1) await asker.visit(deployment);
  return deployment;
}

function expectAway(answer: Answer): void {
  expect(answer.status, answer.text).toBe(503);
  expect(Number(answer.headers['retry-after'])).toBeGreaterThanOrEqual(1);
}

const timesLogged = (text: string) => server.logged.filter(({ message }) => message.startsWith(text)).length;
/** Advances the time until a site in memory is stale. */
const loseTrust = () =>
  expect.poll(() => performance.now() - server.berth.core.database.siteChanges.confirmedAt).toBeGreaterThan(1_000);

describe('scale B2: a database that becomes silent', () => {
  it('makes a hot page wait for at most 2 s; then every answer is a 503 at once, until the database is back', async () => {
    await start();
    const deployment = await publishHot(server);
    proxy.silence();
    await loseTrust();
    const first = await Promise.all([
      timed(server.visit(deployment)),
      timed(server.api('/account')),
      timed(server.deploy(PAGE)),
      timed(server.api('/healthz', { key: null })),
    ]);
    for (const answer of first) {
      expectAway(answer);
      expect(answer.ms).toBeLessThan(FIRST_MS);
    }
    for (const ask of [
      () => server.visit(deployment),
      () => server.visit('calm-otter-0000000'),
      () => server.api('/account'),
      () => server.deploy(PAGE),
      () => server.api('/healthz', { key: null }),
    ]) {
      const times: number[] = [];
      for (let n = 0; n < 5; n += 1) {
        const answer = await timed(ask());
        expectAway(answer);
        times.push(answer.ms);
      }
      expect(times.toSorted((a, b) => a - b)[2]).toBeLessThan(KNOWN_MS);
    }
    expect(timesLogged('The database does not answer')).toBe(1);
    expect(timesLogged('A dependency is unavailable')).toBe(0);

    await proxy.restore();
    await expect.poll(async () => (await server.visit(deployment)).status, { timeout: 5_000 }).toBe(200);
    expect((await server.api('/account')).status).toBe(200);
    expect((await server.api('/healthz', { key: null })).status).toBe(200);
    expect(timesLogged('The database answers again')).toBe(1);
  });

  it('is reached by new connections that replace those that died silently', async () => {
    await start();
    const deployment = await publishHot(server);
    proxy.swallow();
    await loseTrust();
    const [visit, account] = await Promise.all([timed(server.visit(deployment)), timed(server.api('/account'))]);
    expect(visit.ms).toBeLessThan(FIRST_MS);
    expect(account.ms).toBeLessThan(FIRST_MS);
    for (const answer of [visit, account]) if (answer.status !== 200) expectAway(answer);
    await expect.poll(async () => (await server.visit(deployment)).status, { timeout: 5_000 }).toBe(200);
    expect((await server.api('/account')).status).toBe(200);
    expect(timesLogged('The database does not answer')).toBe(0);
  });

  it('is not confused with a database that runs a long statement', async () => {
    await start();
    const { database } = server.berth.core;
    const slow = database.prepared('slow', 'select pg_sleep(3), 1 as done', []);
    expect((await slow) as unknown).toMatchObject([{ done: 1 }]);
    expect(server.logged.filter(({ level }) => level === 'warn')).toEqual([]);
  });
});

describe('a database that ends', () => {
  it('causes a 503 at once with Retry-After, is logged once, and has no effect after it is back', async () => {
    await start();
    const deployment = await publishHot(server);
    await proxy.refuse();
    await expect.poll(async () => (await server.visit(deployment)).status, { timeout: 5_000 }).toBe(503);
    for (let n = 0; n < 20; n += 1) {
      expectAway(await server.visit(deployment));
      expectAway(await server.api('/account'));
    }
    expect(timesLogged('The database does not answer')).toBe(1);
    expect(timesLogged('A dependency is unavailable')).toBeLessThanOrEqual(3);
    await proxy.restore();
    await expect.poll(async () => (await server.visit(deployment)).status, { timeout: 5_000 }).toBe(200);
  });
});

describe('api §10, STALE_SECONDS', () => {
  const outages = [
    ['silent', () => proxy.silence()],
    ['gone', () => proxy.refuse()],
  ] as const;

  it.each(outages)(
    'serves public sites in memory while the database is %s; all other requests are 503',
    async (_, break_) => {
      await start({ STALE_SECONDS: '600' });
      const open = await publishHot(server);
      const locked = await publishHot(server, { password: 'open sesame' });
      const cold = (await server.publish({ 'index.html': 'cold' })).deployment;
      const name = `http://stale.localhost:${server.port}`;
      const link = { method: 'PUT', json: { deployment: open } };
      expect((await server.api('/domains/stale.localhost', link)).status).toBe(201);
      for (let visit = 0; visit < 5; visit += 1) await server.visit(name);
      await break_();
      await loseTrust();
      for (let visit = 0; visit < 10; visit += 1) {
        for (const site of [open, name]) {
          const answer = await timed(server.visit(site));
          expect(answer.text).toBe(PAGE['index.html']);
          expect(answer.ms).toBeLessThan(visit === 0 ? 2 * FIRST_MS : 200);
        }
        expectAway(await server.visit(locked));
        expectAway(await server.visit(cold));
        expectAway(await server.api('/account'));
      }
      await proxy.restore();
      await expect.poll(async () => (await server.visit(cold)).status, { timeout: 5_000 }).toBe(200);
      expect((await server.visit(open)).status).toBe(200);
    },
  );

  it('stops serving them after that time', async () => {
    await start({ STALE_SECONDS: '3' });
    const open = await publishHot(server);
    await proxy.refuse();
    await loseTrust();
    expect((await server.visit(open)).status).toBe(200);
    await expect.poll(async () => (await server.visit(open)).status, { timeout: 10_000 }).toBe(503);
  });

  it('shows a change that was made during the outage once the database is back', async () => {
    await start({ STALE_SECONDS: '600' });
    const open = await publishHot(server);
    proxy.silence();
    await loseTrust();
    expect((await server.visit(open)).status).toBe(200);
    await server.database.query(`update deployment set taken_down = now() where id = $1`, [open]);
    expect((await server.visit(open)).status).toBe(200);
    await proxy.restore();
    await expect.poll(async () => (await server.visit(open)).status, { timeout: 5_000 }).toBe(451);
  });
});
