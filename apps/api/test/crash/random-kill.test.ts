import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { startProcess } from '../test-server.ts';
import { checkInvariants, checkRestarted } from './invariants.ts';
import { createOrders, createRandom } from './traffic.ts';
import { createWorld } from './world.ts';

/** `KILLS=1000` is a night's work; `KILL_SEED` repeats the requests of a run, though never its very moments. */
const KILLS = Number(process.env['KILLS'] ?? 12);
const SEED = Number(process.env['KILL_SEED'] ?? Date.now() % 1_000_000);
const CLIENTS = 6;
const MOST_LIVE = 12;

describe('a server that is killed at any moment', () => {
  it(`I1 to I6: survives ${KILLS} kills under load, seed ${SEED}`, { timeout: 60_000 + KILLS * 10_000 }, async () => {
    const world = await createWorld();
    const { history } = world;
    const random = createRandom(SEED);
    const nextOrder = createOrders(random);
    try {
      for (let kill = 0; kill < KILLS; kill += 1) {
        const server = await startProcess(world.env());
        await checkRestarted(world, server);
        const killed = new AbortController();
        const clients = Array.from({ length: CLIENTS }, async () => {
          while (!killed.signal.aborted) {
            const live = history.live();
            const any = live[Math.floor(random() * live.length)];
            const turn = random();
            if (any?.owner && turn < live.length / (2 * MOST_LIVE))
              await history.remove(server, history.told.get(any.marker)!);
            else if (any && turn > 0.8) await history.read(server, any);
            else await history.send(server, nextOrder({ owner: random() < 0.95, big: random() < 0.1 }));
          }
        });
        await sleep(60 + random() * 500);
        server.child.kill('SIGKILL');
        killed.abort();
        expect(await server.exited).toBe('SIGKILL');
        await Promise.all(clients);
      }
      await checkInvariants(world);
      expect(history.acknowledged()).toBeGreaterThan(KILLS);
    } finally {
      await world.drop();
    }
  });
});
