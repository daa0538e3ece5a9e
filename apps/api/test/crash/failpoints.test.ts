import { type Failpoint, FAILPOINTS } from '@berth/testing/internals';
import { whenUp } from '@berth/testing/process';
import { createRandom } from '@berth/testing/random';
import { expect, it } from 'vitest';
import { checkInvariants } from './invariants.ts';
import { createOrders, sendWave } from './traffic.ts';
import { createWorld, PATIENT, withServer } from './world.ts';

/** Hits of each failpoint at which the server is killed. `FAILPOINT_HITS=1,2,3,4,5` tests five hits. */
const CHOSEN_HITS = process.env['FAILPOINT_HITS']?.split(',').map(Number);
const DEFAULT_HITS: Partial<Record<Failpoint, number[]>> = {
  'upload.aborted': [1],
  // At the start, the server compresses what was published before.
  'compression.sealed': [2],
  'compression.recorded': [2],
  // The first five packs are removed by the sweep at the start, and later packs by refused uploads.
  'sweep.pack-file-removed': [6],
  'sweep.pack-row-removed': [6],
};
/** Failpoints that a sweep, which runs once a minute, hits only once. */
const ONCE_PER_SWEEP: ReadonlySet<Failpoint> = new Set([
  'sweep.deployment-removed',
  'sweep.uploads-removed',
  'sweep.pack-condemned',
  'compaction.copied',
  'compaction.moved',
  'compaction.committed',
  'compaction.released',
]);
/** Two waves of requests reach most failpoints. A busy machine may need many more. */
const MAX_WAVES = 100;
/** The sweep at the start is followed by another one only after a minute. */
const MAX_WAVES_OF_SWEEP = 2;

const hitsOf = (name: Failpoint) => (ONCE_PER_SWEEP.has(name) ? [1] : (CHOSEN_HITS ?? DEFAULT_HITS[name] ?? [3]));
const runs = FAILPOINTS.filter((name) => !/^(?:backup|restore)\./.test(name)).flatMap((name) =>
  hitsOf(name).map((hit) => ({ name, hit })),
);

it.each(runs)(
  'I1 to I6: a server that is killed at hit $hit of the failpoint $name loses nothing and leaves nothing behind',
  { timeout: 120_000 },
  async ({ name, hit }) => {
    const isCompression = name.startsWith('compression.');
    const isSweep = /^(?:sweep|compaction)\./.test(name);
    const world = await createWorld({ COMPRESSION: isCompression ? 'on' : 'off' });
    const { history } = world;
    const random = createRandom(hit);
    const nextOrder = createOrders(random);
    try {
      if (isCompression || isSweep)
        await withServer(world.env({ ...PATIENT, COMPRESSION: 'off' }), async (client) => {
          for (let i = 0; i < 5; i += 1) {
            const order = nextOrder({ owner: true, broken: false, linked: false });
            // When the first four are deleted, the last one needs little of the pack of the first.
            if (isSweep) Object.assign(order.files, { 'kept.txt': 'kept', 'big.txt': order.marker.repeat(5_000) });
            await history.send(client, order);
          }
          if (isCompression) return;
          for (const { marker } of history.live().slice(0, 4))
            await history.remove(client, history.deployments.get(marker)!);
        });

      const env = { FAILPOINT: `${name}:${hit}` };
      const launched = world.launch(env);
      const server = await whenUp(launched).catch(() => null);
      const maxWaves = ONCE_PER_SWEEP.has(name) ? MAX_WAVES_OF_SWEEP : MAX_WAVES;
      if (server)
        for (let wave = 0; launched.child.signalCode === null && wave < maxWaves; wave += 1)
          await sendWave(history, server, random, nextOrder);
      launched.child.kill('SIGTERM');
      let exitStatus = await launched.exited;
      // A sweep that skipped packs runs again after a minute. Without deploys, the first sweep skips none.
      if (exitStatus === 0 && ONCE_PER_SWEEP.has(name)) exitStatus = await world.launch(env).exited;
      expect(exitStatus).toBe('SIGKILL');

      await checkInvariants(world);
    } finally {
      await world.drop();
    }
  },
);
