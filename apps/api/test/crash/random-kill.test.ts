import { setTimeout as sleep } from 'node:timers/promises';
import type { Core } from '@berth/core';
import { sweep } from '@berth/core/jobs';
import { createRandom } from '@berth/testing/random';
import type { askerOf } from '@berth/testing/requests';
import { describe, expect, it } from 'vitest';
import { checkInvariants, checkRestarted } from './invariants.ts';
import { createOrders, type NextOrder } from './traffic.ts';
import { createWorld, withServer, type World } from './world.ts';

/** `KILLS=1000` runs for a night; `KILL_SEED` repeats the requests of a run, but not the exact times. */
const KILLS = Number(process.env['KILLS'] ?? 4);
const SEED = Number(process.env['KILL_SEED'] ?? Date.now() % 1_000_000);
/** Few, so that contents are often wanted again when their last site has just been deleted. */
const MAX_LIVE = 5;
/** Two nodes sweep unreferenced data at once, but do not touch what a killed node was uploading. */
const SWEEP = { SWEEP_GRACE: '0s', BOOT_STALE: '1h' };

describe('a server that is killed at any moment', () => {
  it(
    `I1 to I6: survives ${KILLS} kills under load, while another node sweeps continuously, seed ${SEED}`,
    {
      timeout: 60_000 + KILLS * 10_000,
    },
    async () => {
      const world = await createWorld();
      const random = createRandom(SEED);
      const nextOrder = createOrders(random);
      try {
        await withServer(world.env(SWEEP), async (survivor, { core }) => {
          const done = new AbortController();
          const sweeping = keepSweeping(core, done.signal);
          for (let kill = 0; kill < KILLS; kill += 1) {
            const server = await world.start(SWEEP);
            await checkRestarted(world, server);
            const killed = new AbortController();
            const askers = [server, server, server, server, survivor, survivor];
            const clients = askers.map((asker) => keepAsking(world, asker, random, nextOrder, killed.signal));
            await sleep(60 + random() * 500);
            server.child.kill('SIGKILL');
            killed.abort();
            expect(await server.exited).toBe('SIGKILL');
            await Promise.all(clients);
          }
          done.abort();
          await sweeping;
        });
        await checkInvariants(world);
        expect(world.history.acknowledged()).toBeGreaterThan(KILLS);
      } finally {
        await world.drop();
      }
    },
  );
});

/** A client that alternates between deploys, reads and deletions, so that few sites are live at any time. */
async function keepAsking(
  { history }: World,
  asker: ReturnType<typeof askerOf>,
  random: () => number,
  nextOrder: NextOrder,
  end: AbortSignal,
): Promise<void> {
  while (!end.aborted) {
    const live = history.live();
    const any = live[Math.floor(random() * live.length)];
    const turn = random();
    if (any?.owner && turn < live.length / (2 * MAX_LIVE))
      await history.remove(asker, history.deployments.get(any.marker)!);
    else if (any && turn > 0.8) await history.read(asker, any);
    else await history.send(asker, nextOrder({ owner: random() < 0.95, big: random() < 0.1 }));
  }
}

async function keepSweeping(core: Core, end: AbortSignal): Promise<void> {
  while (!end.aborted) {
    await sweep(core, { graceMs: 0 });
    await sleep(10);
  }
}
