import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startEmbeddedPostgres } from '@berth/core';
import { type BenchServer, type BerthOptions, startBerth } from '../processes.ts';
import { uniformDraws, zipfDraws } from './draws.ts';
import { LARGE_FILE, largeFile, page, PLATFORM_DOMAIN, siteFiles, writeSiteFile } from './files.ts';
import { get } from './get.ts';
import { deploy, publishSites, siteHost } from './publish.ts';
import { recordFile, recordPages } from './record.ts';

/** All sites that the benchmark requests, published on a Berth server and written to folders. */
export interface Scene {
  /** The files of one site. `host` is its host. */
  files: ReadonlyMap<string, Buffer>;
  host: string;
  /**
   * Files for the load generator: the hosts, and the order of requests. `pages` contains the front page of each host.
   */
  manySites: { hosts: string; draws: string; pages: ReadonlyMap<string, Buffer> };
  allSites: { hosts: string; draws: string };
  /** Hosts that no row requests. */
  coldHosts: readonly string[];
  /** A folder that contains a folder for each host. */
  tree: string;
  /** The file with the recorded responses of Berth, for the bare server. */
  recorded: string;
  /** Starts a Berth that serves the scene. */
  startBerth(env: Record<string, string>, options?: BerthOptions): Promise<BenchServer>;
  [Symbol.asyncDispose](): Promise<void>;
}

const SITES = 100_000;
const MANY_SITES = 10_000;
const COLD_SITES = 2_000;
const MANY_DRAWS = 200_000;
const ALL_DRAWS = 1_000_000;
/** Step that distributes popularity over the sites, so that popular sites are not adjacent. */
const SPREAD = 7_919;
const COMPRESSION_MS = 20_000;

/** Publishes a site and 100,000 others, and records the responses that the bare server repeats. */
export async function prepareScene(): Promise<Scene> {
  const home = await mkdtemp(join(tmpdir(), 'berth-bench-sites-'));
  const dataDir = await mkdtemp(join(tmpdir(), 'berth-bench-'));
  const apiKey = `ship-${randomBytes(16).toString('hex')}`;
  // Several Berths serve the scene at once, so none of them owns the database.
  const postgres = await startEmbeddedPostgres(join(home, 'postgres'));
  const { user, socketDir, database } = postgres.address;
  const databaseUrl = `postgresql://${user}@${encodeURIComponent(socketDir)}/${database}`;
  const fixedEnv = {
    NODE_ENV: 'production',
    DATA_DIR: dataDir,
    DATABASE_URL: databaseUrl,
    PLATFORM_DOMAIN,
    OWNER_API_KEY: apiKey,
  };
  const start = (env: Record<string, string>, options?: BerthOptions) => startBerth({ ...fixedEnv, ...env }, options);
  const dispose = async () => {
    await postgres.stop();
    for (const dir of [home, dataDir]) await rm(dir, { recursive: true, force: true });
  };
  try {
    const berth = await start({});
    const published = await publishAll(berth.port, apiKey, home, databaseUrl).finally(() => berth.stop());
    return { ...published, startBerth: start, [Symbol.asyncDispose]: dispose };
  } catch (error) {
    await dispose();
    throw error;
  }
}

async function publishAll(
  port: number,
  apiKey: string,
  home: string,
  databaseUrl: string,
): Promise<Omit<Scene, 'startBerth' | typeof Symbol.asyncDispose>> {
  const files = siteFiles();
  const id = await deploy(port, apiKey, new Map([...files, [LARGE_FILE, largeFile()]]));
  const host = `${id}.${PLATFORM_DOMAIN}`;
  await publishSites(port, apiKey, databaseUrl, SITES);

  const tree = join(home, 'tree');
  for (const [path, bytes] of files) await writeSiteFile(tree, host, path, bytes);
  const siteNumbers = Array.from({ length: MANY_SITES }, (_, i) => (i * SPREAD) % MANY_SITES);
  for (const number of siteNumbers) await writeSiteFile(tree, siteHost(number), 'index.html', page(number));
  const manyHosts = siteNumbers.map(siteHost);
  const allHosts = Array.from({ length: SITES }, (_, i) => siteHost((i * SPREAD) % SITES));
  const writeLines = async (name: string, lines: readonly (string | number)[]) => {
    await writeFile(join(home, name), `${lines.join('\n')}\n`);
    return join(home, name);
  };
  const manySites = {
    hosts: await writeLines('many-hosts', manyHosts),
    draws: await writeLines('many-draws', zipfDraws(MANY_SITES, MANY_DRAWS)),
    pages: new Map(siteNumbers.map((number) => [siteHost(number), page(number)])),
  };
  const mixedDraws = alternate(uniformDraws(SITES, ALL_DRAWS / 2), zipfDraws(SITES, ALL_DRAWS / 2));
  const allSites = { hosts: await writeLines('all-hosts', allHosts), draws: await writeLines('all-draws', mixedDraws) };

  await waitForCompression(port, host);
  const recordedPages = await recordPages(port, manyHosts, tree);
  const paths = new Map([...files.keys()].map((path) => [path === 'index.html' ? '/' : `/${path}`, path]));
  for (const [path, file] of paths) recordedPages.push(await recordFile(port, host, path, join(tree, host, file)));
  recordedPages.push(await recordFile(port, host, '', join(home, 'missing.html')));
  return {
    files,
    host,
    manySites,
    allSites,
    coldHosts: allHosts.filter((_, i) => i % (SITES / COLD_SITES) === 0),
    tree,
    recorded: await writeLines('recorded.json', [JSON.stringify(recordedPages)]),
  };
}

function alternate(first: readonly number[], second: readonly number[]): number[] {
  return first.flatMap((each, i) => [each, second[i]!]);
}

/** Waits until the script has a compressed form, or until a timeout. */
async function waitForCompression(port: number, host: string): Promise<void> {
  const deadline = performance.now() + COMPRESSION_MS;
  while (performance.now() < deadline) {
    const { headers } = await get(port, host, '/app.js', { 'Accept-Encoding': 'br' });
    if (headers['content-encoding'] === 'br') return;
    await sleep(200);
  }
}
