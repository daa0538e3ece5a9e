import { expectError } from '@berth/testing/expectations';
import { startServer, type TestServer } from '@berth/testing/server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDatabaseProxy, type DatabaseProxy } from '../outages/database-proxy.ts';

let proxy: DatabaseProxy;
let server: TestServer;
beforeAll(async () => {
  server = await startServer({
    env: async (database) => {
      proxy = await createDatabaseProxy(database);
      return { DATABASE_URL: proxy.url, RATE_LIMITS: 'global=5/h' };
    },
  });
  await server.api('/plans', { key: null });
  await proxy.refuse();
});
afterAll(async () => {
  await proxy.restore();
  await server.close();
  await proxy.close();
});

describe('T27: while the database with the rate limits is unavailable', () => {
  it('reads that need no database succeed without a limit', async () => {
    for (let call = 0; call < 10; call += 1) {
      expect((await server.api('/plans', { key: null })).status).toBe(200);
      expect((await server.api('/trpc/plans.list', { key: null })).status).toBe(200);
    }
    expectError(await server.api('/nowhere', { key: null }), 'not_found');
  });

  it.each([
    ['an anonymous deploy', () => server.deploy({ 'index.html': 'x' }, { key: null })],
    ['a deploy with a credential', () => server.deploy({ 'index.html': 'x' })],
    ['a request that needs a credential', () => server.api('/account')],
  ])('%s gets a 503', async (_, request) => {
    const response = await request();
    expectError(response, 'unavailable');
    expect(response.headers).not.toHaveProperty('ratelimit-limit');
  });
});
