import { FAILPOINTS, type Failpoint } from '@berth/core';
import { describe, expect, it } from 'vitest';
import { launchProcess, startProcess, whenUp } from '../test-server.ts';
import { checkInvariants } from './invariants.ts';
import { createOrders, createRandom, sendWave } from './traffic.ts';
import { createWorld, withServer } from './world.ts';

/** At which of its hits each point is fatal. `FAILPOINT_HITS=1,2,3,4,5` walks them all, in ten times the time. */
const HITS = process.env['FAILPOINT_HITS']?.split(',').map(Number);

/** These come once a sweep, and the sweep comes once a minute. */
const ONCE: ReadonlySet<Failpoint> = new Set(['sweep.deployment-removed', 'sweep.pack-condemned']);
const WAVES = 6;

const hitsOf = (name: Failpoint) => (ONCE.has(name) ? [1] : (HITS ?? [name.startsWith('sweep.') ? 1 : 3]));
const runs = FAILPOINTS.flatMap((name) => hitsOf(name).map((hit) => ({ name, hit })));

describe('a server that is killed at a named step', () => {
  it.each(runs)('I1 to I6: loses nothing, doubles nothing and leaves nothing at $name, hit $hit', async ({ name, hit }) => {
    const world = await createWorld();
    const { history } = world;
    const random = createRandom(hit);
    const nextOrder = createOrders(random);
    try {
      await withServer(world, async (asker) => {
        for (let i = 0; i < 2; i += 1) await sendWave(history, asker, random, nextOrder);
      });
      if (name.startsWith('sweep.')) {
        const server = await startProcess(world.env());
        const wave = sendWave(history, server, random, nextOrder);
        await server.printed('"request"');
        server.child.kill('SIGKILL');
        await Promise.all([wave, server.exited]);
      }

      const launched = launchProcess(world.env({ FAILPOINT: `${name}:${hit}` }));
      const server = await whenUp(launched).catch(() => null);
      for (let wave = 0; server && launched.child.signalCode === null && wave < WAVES; wave += 1) await sendWave(history, server, random, nextOrder);
      launched.child.kill('SIGTERM');
      expect(await launched.exited, launched.output()).toBe('SIGKILL');

      await checkInvariants(world);
    } finally {
      await world.drop();
    }
  });
});
