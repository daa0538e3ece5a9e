import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { type BerthClient, deployFolder } from '@berth/client';
import { scaledRounds } from '../processes.ts';
import { writeFolder } from './folder.ts';
import { flushDisk, rsyncDurably } from './rsync.ts';

const WARM_UP_ROUNDS = 2;
const ROUNDS = scaledRounds(5);

/** Milliseconds of each round. `rsync` is empty if rsync is not installed. */
export interface FirstDeploys {
  berth: number[];
  rsync: number[];
}

/**
 * Measures the first deploy of a folder with new contents, alternating with a copy of the folder to an empty web root.
 */
export async function measureFirstDeploys(
  home: string,
  client: BerthClient,
  withRsync: boolean,
): Promise<FirstDeploys> {
  const times: FirstDeploys = { berth: [], rsync: [] };
  for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round += 1) {
    const roundDir = await mkdtemp(join(home, 'first-'));
    const folder = join(roundDir, 'site');
    writeFolder(folder);
    await flushDisk();
    const rsyncMs = withRsync ? await rsyncDurably(folder, join(roundDir, 'web-root')) : null;
    const startedMs = performance.now();
    for await (const _ of deployFolder({ folder, client }, { cacheDir: join(roundDir, 'cache') }));
    const berthMs = performance.now() - startedMs;
    await rm(roundDir, { recursive: true });
    if (round < 0) continue;
    times.berth.push(berthMs);
    if (rsyncMs !== null) times.rsync.push(rsyncMs);
  }
  return times;
}
