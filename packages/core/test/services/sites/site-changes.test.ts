import { setImmediate } from 'node:timers/promises';
import { createTestCore, deploySite } from '@berth/testing/core';
import { sql } from 'kysely';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '../../../src/database/database.ts';
import type { Changes } from '../../../src/database/change-log.ts';
import { LiveSiteCache, type LiveSites } from '../../../src/services/sites/live-sites.ts';
import type { SiteLookup } from '../../../src/services/sites/load-sites.ts';

/** The second after which a change must be visible, with a margin for a busy machine. */
const SOON_MS = 5_000;

const test = await createTestCore();
const { caller } = await test.account('scale');
afterAll(() => test.close());

const deploy = async () => (await deploySite(test.core, caller, { 'index.html': 'hello' })).body.deployment;
const takeDown = (deployment: string) =>
  test.database.query('update deployment set taken_down = now() where id = $1', [deployment]);
/** Ends the connections that read the change log, as PostgreSQL does when it restarts. */
const endReaders = () =>
  test.database.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and query like '%pg_current_snapshot%' and pid <> pg_backend_pid()`,
  );

/** Simulates another process with its own connections. @param replace Returns replacements for parts of its change log. */
function anotherProcess(replace: (real: Changes) => Partial<Changes> = () => ({})) {
  const database = openDatabase(test.database.address);
  onTestFinished(() => database.close());
  const realChanges = database.changes;
  const changes: Changes = {
    subscribe: (onChange) => realChanges.subscribe(onChange),
    keepPolling: () => realChanges.keepPolling(),
    get confirmedAt() {
      return realChanges.confirmedAt;
    },
    get isConnected() {
      return realChanges.isConnected;
    },
    catchUp: () => realChanges.catchUp(),
    close: () => realChanges.close(),
  };
  Object.defineProperties(changes, Object.getOwnPropertyDescriptors(replace(realChanges)));
  return {
    sites: new LiveSiteCache({ ...test.core, database: { ...database, changes } }),
    /** Takes a site down in a transaction of the simulated process. */
    takeDown: (deployment: string) =>
      database.transaction((em) =>
        sql`update deployment set taken_down = now() where id = ${deployment}`.execute(em.getKysely()),
      ),
  };
}

/** Finds a site twice, so that it is cached. */
async function findTwice(sites: LiveSites, deployment: string): Promise<SiteLookup> {
  await sites.find({ deployment });
  return sites.find({ deployment });
}

/** Returns the result that the next visitor gets. */
const visit = async (sites: LiveSites, deployment: string) =>
  sites.peek({ deployment }) ?? (await sites.find({ deployment }));

/** Expects that visitors get another result within a second. */
async function expectChangedSoon(sites: LiveSites, deployment: string, before: SiteLookup): Promise<void> {
  const start = performance.now();
  while ((await visit(sites, deployment)) === before) await setImmediate();
  expect(performance.now() - start).toBeLessThan(SOON_MS);
  expect(await sites.find({ deployment })).toBe('taken-down');
}

describe('S2: a change of a site', () => {
  it('by another process is the only reason for a query, because unchanged sites come from the cache', async () => {
    const { sites } = anotherProcess();
    const deployment = await deploy();
    expect(sites.peek({ deployment })).toBeUndefined();
    const site = await findTwice(sites, deployment);
    expect(sites.peek({ deployment })).toBe(site);
    expect(await sites.find({ deployment })).toBe(site);
  });

  it.each([
    ['the change', async () => {}],
    ['the change, even if the connection was lost before it', endReaders],
  ])('by another process is visible within a second after %s', async (_, happen) => {
    const { sites } = anotherProcess();
    for (let n = 0; n < 5; n += 1) {
      const deployment = await deploy();
      const site = await findTwice(sites, deployment);
      await happen();
      await takeDown(deployment);
      await expectChangedSoon(sites, deployment, site);
    }
  });

  it.each([
    ['', async () => {}],
    [', even if the connection that reads changes was lost before', endReaders],
  ])('is visible to the next visitor in the process that made the change%s', async (_, happen) => {
    const peerProcess = anotherProcess();
    for (let n = 0; n < 10; n += 1) {
      const deployment = await deploy();
      const isCached = async () =>
        (await findTwice(peerProcess.sites, deployment)) && peerProcess.sites.peek({ deployment });
      await expect.poll(isCached).toBeDefined();
      await happen();
      await peerProcess.takeDown(deployment);
      expect(await visit(peerProcess.sites, deployment)).toBe('taken-down');
    }
  });

  it('by another process is visible within a second if the change log is silent', async () => {
    let silentSince: number | null = null;
    const { sites } = anotherProcess((real) => ({
      subscribe: (onChange) => real.subscribe((change) => silentSince ?? onChange(change)),
      get confirmedAt() {
        return silentSince ?? real.confirmedAt;
      },
      catchUp: () => (silentSince ? new Promise((resolve) => void setTimeout(resolve, 1_000, false)) : real.catchUp()),
    }));
    const deployment = await deploy();
    const site = await findTwice(sites, deployment);
    silentSince = performance.now();
    await takeDown(deployment);
    await expectChangedSoon(sites, deployment, site);
    expect(sites.peek({ deployment })).toBeUndefined();
  });

  it('by another process is visible even if the first subscription failed', async () => {
    let isUnreachable = true;
    const { sites } = anotherProcess((real) => ({
      subscribe: (onChange) => (isUnreachable ? Promise.reject(new Error('away')) : real.subscribe(onChange)),
    }));
    const deployment = await deploy();
    expect(await sites.find({ deployment })).toMatchObject({ deployment });
    expect(sites.peek({ deployment })).toBeUndefined();
    await takeDown(deployment);
    isUnreachable = false;
    expect(await sites.find({ deployment })).toBe('taken-down');
  });
});
