import { once } from 'node:events';
import { request } from 'node:http';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { type BerthClient, deployFolder, watchFolder, type WatchEvent, WATCH_RULE } from '@berth/client';
import { scaledRounds } from '../processes.ts';
import { FILES, pathOf, writeContent, writeFolder } from './folder.ts';
import { flushDisk, rsync } from './rsync.ts';
import { sentBytes } from './sent-bytes.ts';

const WARM_UP_ROUNDS = 5;
const ROUNDS = scaledRounds(21);
const DOMAIN = 'bench.localhost';

/** Milliseconds and sent bytes of each round. `fullBytes` is the number of bytes of one full deploy. */
export interface Redeploys {
  /** Milliseconds from the end of the quiet period until the new content is served. */
  watch: number[];
  watchBytes: number[];
  fullBytes: number;
  /** Milliseconds of the copies; empty if rsync is not installed. */
  rsync: number[];
}

/**
 * Changes one file of a watched folder repeatedly, and copies the same state with rsync. At the end, the whole folder
 * is deployed.
 */
export async function measureRedeploys(home: string, client: BerthClient, withRsync: boolean): Promise<Redeploys> {
  const folder = join(home, 'site');
  const webRoot = join(home, 'web-root');
  const cacheDir = join(home, 'cache');
  const measured: Redeploys = { watch: [], watchBytes: [], fullBytes: 0, rsync: [] };
  writeFolder(folder);
  if (withRsync) await rsync(folder, webRoot);
  const stop = new AbortController();
  const events = watchFolder({ folder, client, domain: DOMAIN }, { cacheDir, signal: stop.signal });
  await untilPublished(events);

  for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round += 1) {
    const file = ((round + WARM_UP_ROUNDS) * 7_919) % FILES;
    await flushDisk();
    const sentBefore = sentBytes();
    const content = writeContent(folder, file);
    const quietAt = performance.now() + WATCH_RULE.quietMs;
    await untilPublished(events);
    while (!content.equals(await read(client.server.port, `/${pathOf(file)}`)));
    const watchMs = performance.now() - quietAt;
    const watchBytes = sentBytes() - sentBefore;
    const rsyncMs = withRsync ? await rsync(folder, webRoot) : null;
    if (round < 0) continue;
    measured.watch.push(watchMs);
    measured.watchBytes.push(watchBytes);
    if (rsyncMs !== null) measured.rsync.push(rsyncMs);
  }
  stop.abort();
  await events.return();
  const sentBefore = sentBytes();
  for await (const _ of deployFolder({ folder, client }, { cacheDir, delta: false }));
  measured.fullBytes = sentBytes() - sentBefore;
  return measured;
}

/** Waits until the watch has published. @throws when the watch fails or ends. */
async function untilPublished(events: AsyncGenerator<WatchEvent, void>): Promise<void> {
  for (;;) {
    const { done, value: event } = await events.next();
    if (done === true) throw new Error('The watch ended');
    if (event.type === 'failed') throw event.error;
    if (event.type === 'published') return;
  }
}

/** Returns a file of the site as a visitor of the domain gets it. */
async function read(port: string, path: string): Promise<Buffer> {
  const req = request({ host: '127.0.0.1', port, path, headers: { Host: `${DOMAIN}:${port}` } }).end();
  const [res] = await once(req, 'response');
  const pieces: Buffer[] = [];
  for await (const piece of res) pieces.push(piece as Buffer);
  return Buffer.concat(pieces);
}
