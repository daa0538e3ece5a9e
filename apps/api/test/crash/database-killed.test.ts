import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { armFailpoint, type EmbeddedPostgres, startEmbeddedPostgres } from '@berth/core';
import { createTemplate } from '@berth/testing/database';
import { FAILPOINTS } from '@berth/testing/internals';
import { createRandom } from '@berth/testing/random';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkInvariants } from './invariants.ts';
import { createOrders, sendWave } from './traffic.ts';
import { createWorld, PATIENT, withServer } from './world.ts';

/** Hits of each failpoint at which the database is killed. `FAILPOINT_HITS=1,2,3,4,5` tests five hits. */
const CHOSEN_HITS = process.env['FAILPOINT_HITS']?.split(',').map(Number) ?? [3];
/** Two waves usually reach every step. A server whose database was just killed may need more. */
const MAX_WAVES = 100;

describe('an embedded PostgreSQL that is killed', { timeout: 120_000 + CHOSEN_HITS.length * 60_000 }, () => {
  let dir: string;
  let postgres: EmbeddedPostgres;
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'berth-killed-'));
    postgres = await startEmbeddedPostgres(dir);
    await createTemplate(postgres.address);
  });
  afterAll(async () => {
    armFailpoint('');
    await postgres.stop();
    await rm(dir, { recursive: true, force: true });
  });

  const serverPid = () => Number(readFileSync(join(dir, 'data/postmaster.pid'), 'utf8').split('\n')[0]);

  it.each(['pack', 'deploy', 'upload'])(
    'api §12, I1 to I6: restarts automatically, and nothing is lost, duplicated or left behind at any step of a %s',
    async (kind) => {
      const world = await createWorld({ COMPRESSION: 'off' }, postgres.address);
      const { history } = world;
      const steps = FAILPOINTS.filter((name) => name.startsWith(`${kind}.`));
      try {
        await withServer(world.env(PATIENT), async (client, { core }) => {
          const random = createRandom(1);
          const nextOrder = createOrders(random);
          for (const step of steps.flatMap((name) => CHOSEN_HITS.map((hit) => `${name}:${hit}`))) {
            let killedPid = 0;
            armFailpoint(step, () => {
              killedPid = serverPid();
              process.kill(killedPid, 'SIGKILL');
            });
            for (let wave = 0; killedPid === 0 && wave < MAX_WAVES; wave += 1)
              await sendWave(history, client, random, nextOrder);
            expect(killedPid, step).toBeGreaterThan(0);
            await expect.poll(serverPid).not.toBe(killedPid);
            await expect.poll(() => core.database.isReady()).toBe(true);
            expect(history.faults, step).toEqual([]);
            await sendWave(history, client, random, nextOrder);
            await history.settle(client);
            expect(history.faults, step).toEqual([]);
          }
        });
        await checkInvariants(world);
      } finally {
        await world.drop();
      }
    },
  );
});
