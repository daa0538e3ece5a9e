import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { useServer } from '@berth/testing/use-server';
import { beforeAll, expect, it } from 'vitest';

const SWITCHES = Number(process.env['SWITCHES'] ?? 200);
const VERSIONS = 5;
const READERS = 3;
/** Size in bytes of a file that is too large for the memory cache, and is streamed from its pack. */
const LARGE_BYTES = 2_200_000;

const server = useServer({ clean: true });
let deployments: string[];
beforeAll(async () => {
  deployments = [];
  for (let version = 0; version < VERSIONS; version += 1)
    deployments.push((await server().publish(filesOf(version))).deployment);
});

/** Creates small and large files that repeat their version from the first byte to the last. */
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

async function getPath(path: string): Promise<{ status: number; text: string }> {
  const headers = { Host: 'bakery.localhost' };
  const clientRequest = request({ host: '127.0.0.1', port: server().port, path, agent, headers }).end();
  const [response] = (await once(clientRequest, 'response')) as [IncomingMessage];
  return { status: response.statusCode!, text: Buffer.concat(await response.toArray()).toString() };
}

it(`S2, T35: readers during ${SWITCHES} switches of a domain never get mixed versions, an error, or a version from before a completed switch`, async () => {
  let lastSent = 0;
  let lastCompleted = 0;
  let isFinished = false;
  const switchTo = async (number: number) => {
    lastSent = number;
    const json = { deployment: deployments[number % VERSIONS] };
    const response = await server().api('/domains/bakery.localhost', { method: 'PUT', json });
    expect(response.status).toBe(number === 0 ? 201 : 200);
    lastCompleted = number;
  };
  await switchTo(0);

  let readCount = 0;
  const seenVersions = new Set<string>();
  const readRepeatedly = async (paths: readonly string[]) => {
    for (let number = 0; !isFinished; number += 1) {
      const path = paths[number % paths.length]!;
      const earliestVersion = lastCompleted;
      const { status, text } = await getPath(path);
      const latestVersion = lastSent;
      const version = Number(text[0]);
      expect(text === text[0]!.repeat(text.length), `${path} is of one version`).toBe(true);
      const isMissing = path === '/sometimes' && version % 2 === 1;
      expect([path, status]).toEqual([path, isMissing ? 404 : 200]);
      const possibleVersions = new Set<number>();
      for (let n = earliestVersion; n <= latestVersion && possibleVersions.size < VERSIONS; n += 1)
        possibleVersions.add(n % VERSIONS);
      expect(possibleVersions, `${path} between switch ${earliestVersion} and ${latestVersion}`).toContain(version);
      seenVersions.add(`${path} ${version}`);
      readCount += 1;
    }
  };
  const readers = Promise.all([
    ...Array.from({ length: READERS }, () => readRepeatedly(['/', '/app.js', '/sometimes'])),
    readRepeatedly(['/large.bin', ...Array.from({ length: 15 }, () => '/')]),
  ]);
  // A reader that finds a fault ends the test.
  readers.catch(() => (isFinished = true));
  // The readers must have seen every version of every file, otherwise the test proves little.
  const isSufficient = () => seenVersions.size === 4 * VERSIONS && readCount > SWITCHES;
  try {
    for (let n = 1; !isFinished && (n <= SWITCHES || !isSufficient()); n += 1) await switchTo(n);
  } finally {
    isFinished = true;
    await readers;
    agent.destroy();
  }
}, 600_000);
