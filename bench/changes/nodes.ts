import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createTestClient } from '@berth/testing/requests';
import { API_KEY, startBerth } from '../processes.ts';

const DOMAIN = 'bench.localhost';
const STOPPED_MS = 10_000;

/** How long the other node showed the old site after the API had answered the switch, in milliseconds. */
export interface Delays {
  all: number[];
  /** The visits of the old site that another node showed after it was stopped for 10 s. */
  staleAfterStop: number;
  /** The visits of the old site in the node that had answered the switch. */
  staleInSameNode: number;
}

/** Switches a domain on one node and visits it on another one. @param databaseUrl An empty database. */
export async function measureDelays(databaseUrl: string, count: number): Promise<Delays> {
  const dataDir = await mkdtemp(join(tmpdir(), 'berth-bench-nodes-'));
  const env = { DATABASE_URL: databaseUrl, DATA_DIR: dataDir, SECRET_KEY: 'ab'.repeat(32) };
  const first = await startBerth(env);
  const second = await startBerth(env);
  try {
    const [one, two] = [first, second].map(({ port }) => ({ port, ...createTestClient(port) })) as [Client, Client];
    const sites: string[] = [];
    for (const text of ['0', '1']) sites.push((await one.publish({ 'index.html': text }, { key: API_KEY })).deployment);
    const delays: Delays = { all: [], staleAfterStop: 0, staleInSameNode: 0 };
    for (let n = 0; n < count; n += 1) {
      await switchTo(one, sites[n % 2]!);
      const answeredMs = performance.now();
      if ((await visit(one)) !== String(n % 2)) delays.staleInSameNode += 1;
      while ((await visit(two)) !== String(n % 2)) await sleep(1);
      delays.all.push(performance.now() - answeredMs);
      // Switches at any time between two polls of the other node.
      await sleep(Math.random() * 250);
    }
    process.kill(second.pid, 'SIGSTOP');
    await switchTo(one, sites[count % 2]!);
    const waiting = Array.from({ length: 50 }, () => visit(two));
    await sleep(STOPPED_MS);
    process.kill(second.pid, 'SIGCONT');
    delays.staleAfterStop = (await Promise.all(waiting)).filter((text) => text !== String(count % 2)).length;
    return delays;
  } finally {
    await Promise.all([first.stop(), second.stop()]);
    await rm(dataDir, { recursive: true, force: true });
  }
}

type Client = ReturnType<typeof createTestClient> & { port: number };

async function switchTo({ api }: Client, deployment: string): Promise<void> {
  const { status, text } = await api(`/domains/${DOMAIN}`, { method: 'PUT', json: { deployment }, key: API_KEY });
  if (status !== 200 && status !== 201) throw new Error(`The switch returned ${status}: ${text}`);
}

async function visit({ visit: send, port }: Client): Promise<string> {
  return (await send(`http://${DOMAIN}:${port}`)).text;
}
