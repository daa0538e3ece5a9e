import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { useServer } from '@berth/testing/use-server';
import { beforeAll, expect, it } from 'vitest';

const SWITCHES = Number(process.env['SWITCHES'] ?? 400);
const VERSIONS = 5;
const READERS = 3;
/** Too large for the memory cache, so that it is streamed from its pack. */
const LARGE_BYTES = 2_200_000;

const server = useServer({ clean: true });
let deployments: string[];
beforeAll(async () => {
  deployments = [];
  for (let version = 0; version < VERSIONS; version += 1)
    deployments.push((await server().publish(filesOf(version))).deployment);
});

/** Small and large files, each of which names its version from its first byte to its last. */
function filesOf(version: number): Record<string, string> {
  return {
    'index.html': `${version}`.repeat(700),
    'app.js': `${version}`.repeat(20_000),
    'large.bin': `${version}`.repeat(LARGE_BYTES),
    ...(version % 2 === 0 ? { 'sometimes.html': `${version}`.repeat(40) } : {}),
    '404.html': `${version}`.repeat(50),
  };
}

const agent = new Agent({ keepAlive: true });

async function get(path: string): Promise<{ status: number; text: string }> {
  const headers = { Host: 'bakery.localhost' };
  const asking = request({ host: '127.0.0.1', port: server().port, path, agent, headers }).end();
  const [answer] = (await once(asking, 'response')) as [IncomingMessage];
  return { status: answer.statusCode!, text: Buffer.concat(await answer.toArray()).toString() };
}

it(`S2, T35: readers during ${SWITCHES} switches of a domain never see a mixture, an error, or the state before an answered switch`, async () => {
  let sent = 0;
  let answered = 0;
  let isDone = false;
  const point = async (n: number) => {
    sent = n;
    const json = { deployment: deployments[n % VERSIONS] };
    const answer = await server().api('/domains/bakery.localhost', { method: 'PUT', json });
    expect(answer.status).toBe(n === 0 ? 201 : 200);
    answered = n;
  };
  await point(0);

  let reads = 0;
  const seen = new Set<string>();
  const read = async (paths: readonly string[]) => {
    for (let n = 0; !isDone; n += 1) {
      const path = paths[n % paths.length]!;
      const earliest = answered;
      const { status, text } = await get(path);
      const latest = sent;
      const version = Number(text[0]);
      expect(text === text[0]!.repeat(text.length), `${path} is of one version`).toBe(true);
      const isMissing = path === '/sometimes' && version % 2 === 1;
      expect([path, status]).toEqual([path, isMissing ? 404 : 200]);
      const possible = new Set<number>();
      for (let k = earliest; k <= latest && possible.size < VERSIONS; k += 1) possible.add(k % VERSIONS);
      expect(possible, `${path} between switch ${earliest} and ${latest}`).toContain(version);
      seen.add(`${path} ${version}`);
      reads += 1;
    }
  };
  const reading = Promise.all([
    ...Array.from({ length: READERS }, () => read(['/', '/app.js', '/sometimes'])),
    read(['/large.bin', ...Array.from({ length: 15 }, () => '/')]),
  ]);
  // A reader that finds a fault ends the test.
  reading.catch(() => (isDone = true));
  // The test runs until the readers have seen every version of every file; otherwise it proves little.
  const isEnough = () => seen.size === 4 * VERSIONS && reads > SWITCHES;
  try {
    for (let n = 1; !isDone && (n <= SWITCHES || !isEnough()); n += 1) await point(n);
  } finally {
    isDone = true;
    await reading;
    agent.destroy();
  }
}, 600_000);
