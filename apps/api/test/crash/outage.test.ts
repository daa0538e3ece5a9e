import { createRandom } from '@berth/testing/random';
import { describe, expect, it } from 'vitest';
import { checkInvariants } from './invariants.ts';
import { createOrders, sendWave } from './traffic.ts';
import { createWorld, PATIENT } from './world.ts';

const END_SESSIONS = `
  select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`;
/** Many times the number of sessions of the server. */
const ENOUGH = 100;

describe('a server whose PostgreSQL sessions are ended', { timeout: 120_000 }, () => {
  it('F12, I9: answers 503 and never 500, keeps running, and keeps I1 to I6', async () => {
    const world = await createWorld();
    const { database, history } = world;
    const random = createRandom(1);
    const nextOrder = createOrders(random);
    try {
      const server = await world.start(PATIENT);
      let ended = 0;
      while (ended < ENOUGH) {
        const answered = new AbortController();
        const clients = sendWave(history, server, random, nextOrder).finally(() => answered.abort());
        while (!answered.signal.aborted) ended += (await database.query(END_SESSIONS)).length;
        await clients;
      }
      expect(history.unavailable()).toBeGreaterThan(0);
      expect(history.faults).toEqual([]);

      expect((await server.api('/healthz')).status).toBe(200);
      await history.settle(server);
      server.child.kill('SIGTERM');
      expect(await server.exited, server.output()).toBe(0);
      await checkInvariants(world);
    } finally {
      await world.drop();
    }
  });
});
