import { createRandom } from '@berth/testing/random';
import { expect, it } from 'vitest';
import { checkInvariants } from './invariants.ts';
import { createOrders, sendWave } from './traffic.ts';
import { createWorld, PATIENT } from './world.ts';

const END_SESSIONS = `
  select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`;
/** Several times the number of sessions that the server has at once. */
const MIN_ENDED_SESSIONS = 100;

it(
  'F12, I9: a server whose PostgreSQL sessions are ended responds with 503 but never 500, keeps running, and keeps the invariants I1 to I6',
  { timeout: 120_000 },
  async () => {
    const world = await createWorld();
    const { database, history } = world;
    const random = createRandom(1);
    const nextOrder = createOrders(random);
    try {
      const server = await world.start(PATIENT);
      let endedSessions = 0;
      while (endedSessions < MIN_ENDED_SESSIONS) {
        const allAnswered = new AbortController();
        const clients = sendWave(history, server, random, nextOrder).finally(() => allAnswered.abort());
        while (!allAnswered.signal.aborted) endedSessions += (await database.query(END_SESSIONS)).length;
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
  },
);
