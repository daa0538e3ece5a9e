import { type Failpoint, FAILPOINTS } from '@berth/testing/internals';
import { whenUp } from '@berth/testing/process';
import { createRandom } from '@berth/testing/random';
import { describe, expect, it } from 'vitest';
import { checkInvariants } from './invariants.ts';
import { createOrders, sendWave } from './traffic.ts';
import { createWorld, PATIENT, withServer } from './world.ts';

/** At which of its hits each failpoint kills: `FAILPOINT_HITS=1,2,3,4,5` tests five, in five times the time. */
const HITS = process.env['FAILPOINT_HITS']?.split(',').map(Number);
const DEFAULT_HITS: Partial<Record<Failpoint, number[]>> = {
  'upload.aborted': [1],
  // The compression runs at the start, on what was published before.
  'compression.sealed': [2],
  'compression.recorded': [2],
  // Later than the sweep at the start reaches: the others are packs of refused uploads, dropped while other uploads
  // run.
  'sweep.pack-file-removed': [6],
  'sweep.pack-row-removed': [6],
};
/** These are hit once in a sweep, and the sweep runs once a minute. */
const ONCE: ReadonlySet<Failpoint> = new Set([
  'sweep.deployment-removed',
  'sweep.uploads-removed',
  'sweep.pack-condemned',
]);
/** Two reach most failpoints. A busy machine may need many more. */
const MAX_WAVES = 100;
/** After the sweep at the start, the next one is a minute away. */
const MAX_WAVES_OF_SWEEP = 2;

const hitsOf = (name: Failpoint) => (ONCE.has(name) ? [1] : (HITS ?? DEFAULT_HITS[name] ?? [3]));
const runs = FAILPOINTS.flatMap((name) => hitsOf(name).map((hit) => ({ name, hit })));

describe('a server that is killed at a named step', { timeout: 120_000 }, () => {
  it.each(runs)(
    'I1 to I6: loses nothing, duplicates nothing and leaves nothing behind at $name, hit $hit',
    async ({ name, hit }) => {
      const isCompression = name.startsWith('compression.');
      const world = await createWorld({ COMPRESSION: isCompression ? 'on' : 'off' });
      const { history } = world;
      const random = createRandom(hit);
      const nextOrder = createOrders(random);
      try {
        if (isCompression || name.startsWith('sweep.'))
          await withServer(world.env({ ...PATIENT, COMPRESSION: 'off' }), async (asker) => {
            for (let i = 0; i < 5; i += 1) await history.send(asker, nextOrder({ owner: true, broken: false }));
            if (isCompression) return;
            for (const { marker } of history.live().slice(0, 4))
              await history.remove(asker, history.deployments.get(marker)!);
          });

        const env = { FAILPOINT: `${name}:${hit}` };
        const launched = world.launch(env);
        const server = await whenUp(launched).catch(() => null);
        const maxWaves = ONCE.has(name) ? MAX_WAVES_OF_SWEEP : MAX_WAVES;
        if (server)
          for (let wave = 0; launched.child.signalCode === null && wave < maxWaves; wave += 1)
            await sendWave(history, server, random, nextOrder);
        launched.child.kill('SIGTERM');
        let ending = await launched.exited;
        // A sweep that skipped packs tries again after a minute. On a server without deploys, its first run reaches them.
        if (ending === 0 && ONCE.has(name)) ending = await world.launch(env).exited;
        expect(ending).toBe('SIGKILL');

        await checkInvariants(world);
      } finally {
        await world.drop();
      }
    },
  );
});
