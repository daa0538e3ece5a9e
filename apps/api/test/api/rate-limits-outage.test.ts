import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, type Server, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { createTestDatabase, type TestDatabase } from '@berth/testing/database';
import { expectErrorAnswer } from '@berth/testing/expectations';
import { askerOf } from '@berth/testing/requests';
import { testEnvironment } from '@berth/testing/server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Berth, startBerth } from '../../src/server.ts';

/** A proxy to the database, which can be closed. */
interface Road {
  url: string;
  close(): Promise<void>;
}

let database: TestDatabase;
let road: Road;
let dataDir: string;
let berth: Berth;
let ask: ReturnType<typeof askerOf>;
beforeAll(async () => {
  database = await createTestDatabase();
  road = await openRoad(database);
  dataDir = await mkdtemp(join(tmpdir(), 'berth-api-'));
  const env = testEnvironment({ ...database, url: road.url }, dataDir, { RATE_LIMITS: 'global=5/h' });
  berth = await startBerth(env, { info() {}, warn() {}, error() {} });
  ask = askerOf(berth.config.port);
  await ask.api('/plans', { key: null });
  await road.close();
});
afterAll(async () => {
  await berth.close();
  await database.drop();
  await rm(dataDir, { recursive: true, force: true });
});

async function openRoad({ address: { socketDir, user, database: name } }: TestDatabase): Promise<Road> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((client) => {
    const postgres = connect(join(socketDir, '.s.PGSQL.5432'));
    for (const [one, two] of [
      [client, postgres],
      [postgres, client],
    ] as const) {
      sockets.add(one.on('error', () => two.destroy()).once('close', () => two.destroy()));
      one.pipe(two);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `postgresql://${user}@127.0.0.1:${port}/${name}`,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

describe('T27: while the store of the limits is unavailable', () => {
  it('reads that need no database pass without a limit', async () => {
    for (let call = 0; call < 10; call += 1) {
      expect((await ask.api('/plans', { key: null })).status).toBe(200);
      expect((await ask.api('/trpc/plans.list', { key: null })).status).toBe(200);
    }
    expectErrorAnswer(await ask.api('/nowhere', { key: null }), 'not_found');
  });

  it.each([
    ['an anonymous deploy', () => ask.deploy({ 'index.html': 'x' }, { key: null })],
    ['a deploy with a credential', () => ask.deploy({ 'index.html': 'x' })],
    ['a request that needs a credential', () => ask.api('/account')],
  ])('%s is 503', async (_, request) => {
    const answer = await request();
    expectErrorAnswer(answer, 'unavailable');
    expect(answer.headers).not.toHaveProperty('ratelimit-limit');
  });
});
