import { setTimeout as sleep } from 'node:timers/promises';
import type { Core } from '@berth/core';
import { sweep } from '@berth/core/jobs';
import { createRandom } from '@berth/testing/random';
import type { TestClient } from '@berth/testing/requests';
import { expect, it } from 'vitest';
import { checkInvariants, checkRestarted } from './invariants.ts';
import { createOrders, type NextOrder } from './traffic.ts';
import { createWorld, withServer, type World } from './world.ts';

/** `KILLS=1000` kills the server for a night. `KILL_SEED` repeats the requests, but not their times. */
const KILLS = Number(process.env['KILLS'] ?? 4);
const SEED = Number(process.env['KILL_SEED'] ?? Date.now() % 1_000_000);
/** With few live sites, deploys often reuse contents whose last site has just been deleted. */
const MAX_LIVE_DEPLOYMENTS = 5;
/** Two nodes sweep unreferenced data at once, but keep the uploads of a killed node. */
const SWEEP = { SWEEP_GRACE: '0s', BOOT_STALE: '1h' };

it(
  `I1 to I6: a server that is killed at any moment survives ${KILLS} kills under load, while another node sweeps continuously, seed ${SEED}`,
  { timeout: 60_000 + KILLS * 10_000 },
  async () => {
    const world = await createWorld();
    const random = createRandom(SEED);
    const nextOrder = createOrders(random);
    try {
      await withServer(world.env(SWEEP), async (survivor, { core }) => {
        const sweepAbort = new AbortController();
        const sweeping = keepSweeping(core, sweepAbort.signal);
        for (let kill = 0; kill < KILLS; kill += 1) {
          const server = await world.start(SWEEP);
          await checkRestarted(world, server);
          const killAbort = new AbortController();
          const nodes = [server, server, server, server, survivor, survivor];
          const clients = nodes.map((client) => keepRequesting(world, client, random, nextOrder, killAbort.signal));
          await sleep(60 + random() * 500);
          server.child.kill('SIGKILL');
          killAbort.abort();
          expect(await server.exited).toBe('SIGKILL');
          await Promise.all(clients);
        }
        sweepAbort.abort();
        await sweeping;
      });
      await checkInvariants(world);
      expect(world.history.acknowledged()).toBeGreaterThan(KILLS);
    } finally {
      await world.drop();
    }
  },
);

/** Sends deploys, reads and deletions in random order, so that few sites are live at any time. */
async function keepRequesting(
  { history }: World,
  client: TestClient,
  random: () => number,
  nextOrder: NextOrder,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const liveOrders = history.unlinked();
    const chosenOrder = liveOrders[Math.floor(random() * liveOrders.length)];
    const randomChoice = random();
    if (chosenOrder?.owner && randomChoice < liveOrders.length / (2 * MAX_LIVE_DEPLOYMENTS))
      await history.remove(client, history.deployments.get(chosenOrder.marker)!);
    else if (chosenOrder && randomChoice > 0.8) await history.read(client, chosenOrder);
    else await history.send(client, nextOrder({ owner: random() < 0.95, big: random() < 0.1 }));
  }
}

async function keepSweeping(core: Core, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await sweep(core, { graceMs: 0 });
    await sleep(10);
  }
}
