import { createHash, hash } from 'node:crypto';
import { createTestClient, type Files, type TestClient } from '@berth/testing/requests';
import { API_KEY } from '../processes.ts';

const FILES = 10;
const MAX_FILE_BYTES = 20_000;

/** A published site. Its files are derived from its seed. */
export interface PublishedSite {
  deployment: string;
  seed: string;
}

/** Returns the files of a site: ten files of 100 bytes to 20 KB, which differ for each seed and do not compress. */
function filesOf(seed: string): Files {
  return Object.fromEntries(
    Array.from({ length: FILES }, (_, i) => {
      const sizeBytes = 100 + (hash('sha256', `${seed}/${i}`, 'buffer').readUInt32BE() % MAX_FILE_BYTES);
      const bytes = createHash('shake256', { outputLength: sizeBytes }).update(`${seed}/${i}`).digest();
      return [i === 0 ? 'index.html' : `file-${i}.bin`, bytes];
    }),
  );
}

export function clientOf(port: number): TestClient {
  return createTestClient(port);
}

/** Publishes sites over several connections. */
export async function publishSites(client: TestClient, count: number, clients: number): Promise<PublishedSite[]> {
  const sites: PublishedSite[] = [];
  let next = 0;
  await Promise.all(
    Array.from({ length: clients }, async () => {
      while (next < count) {
        const seed = `site-${(next += 1)}`;
        sites.push(await publish(client, seed));
      }
    }),
  );
  return sites;
}

/** Publishes and deletes over several connections until `stop` is called. @returns The number of deploys. */
export function startTraffic(client: TestClient, clients: number): { stop(): Promise<number> } {
  let isRunning = true;
  let deploys = 0;
  const loops = Array.from({ length: clients }, async (_, worker) => {
    for (let i = 0; isRunning; i += 1) {
      const { deployment } = await publish(client, `traffic-${worker}-${i}-${process.hrtime.bigint()}`);
      deploys += 1;
      if (i % 2 === 1) await client.api(`/deployments/${deployment}`, { method: 'DELETE', key: API_KEY });
    }
  });
  return {
    async stop() {
      isRunning = false;
      await Promise.all(loops);
      return deploys;
    },
  };
}

/** @returns The number of sites of which every file is served with its bytes. */
export async function countIdentical(client: TestClient, sites: readonly PublishedSite[]): Promise<number> {
  let identical = 0;
  for (const { deployment, seed } of sites) {
    const responses = await Promise.all(
      Object.entries(filesOf(seed)).map(async ([name, bytes]) => {
        const path = name === 'index.html' ? '/' : `/${name}`;
        return (await client.visit(deployment, path)).bytes.equals(bytes as Buffer);
      }),
    );
    if (responses.every(Boolean)) identical += 1;
  }
  return identical;
}

async function publish(client: TestClient, seed: string): Promise<PublishedSite> {
  const { deployment } = await client.publish(filesOf(seed), { key: API_KEY });
  return { deployment, seed };
}
