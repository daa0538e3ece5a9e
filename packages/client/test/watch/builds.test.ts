import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { useServer } from '@berth/testing/use-server';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createClient } from '../../src/client.ts';
import { startWatch } from './running-watch.ts';

const BUILDS = 25;
/** The seed of the builds. Equal seeds give equal builds. */
const SEED = 20_261_121;
/** The quiet period: more than twice the longest gap between two writes of a build. */
const QUIET_MS = 60;
const LONGEST_GAP_MS = 12;

/** The ways in which a build tool replaces its output folder. */
const plan = fc.record({
  /** The number of files between the page and `last.txt`. */
  files: fc.integer({ min: 2, max: 12 }),
  way: fc.constantFrom<'delete' | 'swap'>('delete', 'delete', 'delete', 'swap'),
  /** How long the folder is missing, in milliseconds. */
  goneMs: fc.constantFrom(0, 0, 1, 5, LONGEST_GAP_MS),
  gapsMs: fc.array(fc.constantFrom(0, 0, 0, 1, 3, LONGEST_GAP_MS), { minLength: 14, maxLength: 14 }),
  /** When the next build starts, in milliseconds; `null` if it waits until this build is live. */
  thenMs: fc.oneof(fc.constant(null), fc.integer({ min: 0, max: 3 * QUIET_MS })),
});
type Plan = typeof plan extends fc.Arbitrary<infer T> ? T : never;

const server = useServer();

/** Returns the text of a file: its build, the number of files in the build, and its path. All texts have the same length. */
function textOf(build: number, files: number, path: string): string {
  return `${String(build).padStart(3, '0')} ${String(files).padStart(2, '0')} ${path.padEnd(200, '.')}`;
}

/** Returns the paths of a build: the page first, `last.txt` last. */
function pathsOf(files: number): string[] {
  return ['index.html', ...Array.from({ length: files }, (_, i) => `assets/${i % 3}/${i}.txt`), 'last.txt'];
}

async function build(folder: string, number: number, { files, way, goneMs, gapsMs }: Plan): Promise<void> {
  const buildFolder = way === 'swap' ? `${folder}.next` : folder;
  if (way === 'delete') {
    rmSync(folder, { recursive: true, force: true });
    if (goneMs > 0) await sleep(goneMs);
  }
  for (const [i, path] of pathsOf(files).entries()) {
    mkdirSync(dirname(join(buildFolder, path)), { recursive: true });
    writeFileSync(join(buildFolder, path), textOf(number, files, path));
    const gapMs = gapsMs[i]!;
    if (gapMs > 0) await sleep(gapMs);
  }
  if (way === 'delete') return;
  rmSync(`${folder}.old`, { recursive: true, force: true });
  renameSync(folder, `${folder}.old`);
  renameSync(buildFolder, folder);
}

/** Reads the build number of a deployment. @throws if the deployment is not exactly one complete build. */
async function readBuild(url: string): Promise<number> {
  const page = await server().visit(url);
  const [number, files] = page.text.split(' ', 2).map(Number) as [number, number];
  for (const path of pathsOf(files)) {
    const { status, text } = await server().visit(url, `/${path}`);
    expect({ path, status, text }).toEqual({ path, status: 200, text: textOf(number, files, path) });
  }
  return number;
}

it(
  'a watch publishes every settled build of 25 builds at random times, and no incomplete build (D3, D5, D6)',
  { timeout: 120_000 },
  async () => {
    const home = mkdtempSync(join(tmpdir(), 'berth-builds-'));
    const folder = join(home, 'dist');
    const domain = 'builds.localhost';
    const { key } = await server().account('scale');
    const client = createClient({ server: `http://localhost:${server().port}`, key });
    const plans = fc.sample(plan, { seed: SEED, numRuns: BUILDS });

    await build(folder, 0, { ...plans[0]!, way: 'delete' });
    const watched = startWatch(
      { folder, client, domain, keep: BUILDS + 1 },
      { cacheDir: join(home, 'cache'), rule: { quietMs: QUIET_MS, graceMs: 10_000 } },
    );
    const published = new Map<number, string>();
    /** Waits until a build is live, and checks every deployment up to it. */
    const untilLive = async (wanted: number) => {
      for (let visibleNumber = -1; visibleNumber !== wanted;) {
        const { deployment } = await watched.next('published');
        visibleNumber = await readBuild(deployment.url);
        expect(published.has(visibleNumber), `build ${visibleNumber} was published twice`).toBe(false);
        published.set(visibleNumber, deployment.deployment);
      }
      expect(await readBuild(`http://${domain}:${server().port}`)).toBe(wanted);
    };
    await untilLive(0);

    // Visits the site until the test ends. The site must never be missing, incomplete, or older than before.
    let isVisiting = true;
    const visitor = (async () => {
      for (let newestBuild = 0; isVisiting;) {
        const { status, text } = await server().visit(`http://${domain}:${server().port}`);
        expect(status).toBe(200);
        const [number, files] = text.split(' ', 2).map(Number) as [number, number];
        expect(text).toBe(textOf(number, files, 'index.html'));
        expect(number).toBeGreaterThanOrEqual(newestBuild);
        newestBuild = number;
        await sleep(10);
      }
    })();
    visitor.catch(() => {});

    for (const [i, plan] of plans.entries()) {
      await build(folder, i + 1, plan);
      if (plan.thenMs === null || i === plans.length - 1) await untilLive(i + 1);
      else await sleep(plan.thenMs);
    }
    isVisiting = false;
    await visitor;
    await watched.stop();

    const { deployments } = await client.api.deployments.list.query({ limit: 100 });
    expect(deployments.map(({ deployment }) => deployment).toSorted()).toEqual([...published.values()].toSorted());
    expect(watched.events.filter(({ type }) => type === 'failed' || type === 'missing')).toEqual([]);
    rmSync(home, { recursive: true, force: true });
  },
);
