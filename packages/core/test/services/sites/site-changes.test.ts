import { setImmediate } from 'node:timers/promises';
import { createTestCore, deploySite, type TestCore } from '@berth/testing/core';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AccountCaller, Core } from '../../../src/core.ts';
import { openDatabase } from '../../../src/database/database.ts';
import type { Listener } from '../../../src/database/listener.ts';
import { LiveSiteCache, type LiveSites } from '../../../src/services/sites/live-sites.ts';
import type { SiteLookup } from '../../../src/services/sites/load-sites.ts';

/** One second, with a margin for a busy machine. */
const SOON_MS = 5_000;

let test: TestCore;
let caller: AccountCaller;
beforeAll(async () => {
  test = await createTestCore();
  ({ caller } = await test.account('scale'));
});
afterAll(() => test.close());

const deploy = async () => (await deploySite(test.core, caller, { 'index.html': 'hello' })).body.deployment;
const takeDown = (deployment: string) =>
  test.database.query('update deployment set taken_down = now() where id = $1', [deployment]);

/** The same, in a transaction of the service. */
const takeDownIn = (core: Core, deployment: string) =>
  core.database.transaction((em) =>
    sql`update deployment set taken_down = now() where id = ${deployment}`.execute(em.getKysely()),
  );
/** Ends the connections that receive notifications, as PostgreSQL does when it restarts. */
const endListeners = () =>
  test.database.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and (query like 'listen%berth_site%' or query = 'select 1')`,
  );

/** Another process of the service, with separate connections. @param wrap Replaces its listener. */
function anotherProcess(wrap?: (real: Listener) => Listener): { sites: LiveSites; core: Core; close(): Promise<void> } {
  const database = openDatabase(test.database.address);
  const core = {
    ...test.core,
    database: { ...database, siteChanges: wrap?.(database.siteChanges) ?? database.siteChanges },
  };
  return { sites: new LiveSiteCache(core), core, close: () => database.close() };
}

/** Finds a site twice, so that it is cached. */
async function findTwice(sites: LiveSites, deployment: string): Promise<SiteLookup> {
  await sites.find({ deployment });
  return sites.find({ deployment });
}

/** Polls an address until its answer changes. @returns How long the old answer was served, in milliseconds. */
async function untilChanged(sites: LiveSites, deployment: string, before: unknown): Promise<number> {
  const start = performance.now();
  while ((sites.peek({ deployment }) ?? (await sites.find({ deployment }))) === before) await setImmediate();
  return performance.now() - start;
}

describe('S2: a change by another process', () => {
  it('is the only reason for a query: unchanged sites come from the cache, as the same object', async () => {
    const { sites, close } = anotherProcess();
    const deployment = await deploy();
    expect(sites.peek({ deployment })).toBeUndefined();
    const site = await findTwice(sites, deployment);
    expect(sites.peek({ deployment })).toBe(site);
    expect(await sites.find({ deployment })).toBe(site);
    await close();
  });

  it('is visible within a second', async () => {
    const { sites, close } = anotherProcess();
    const deployment = await deploy();
    const site = await findTwice(sites, deployment);
    await takeDown(deployment);
    expect(await untilChanged(sites, deployment, site)).toBeLessThan(SOON_MS);
    expect(await sites.find({ deployment })).toBe('taken-down');
    await close();
  });

  it('is visible to the next visitor of the process that made it', async () => {
    const { sites, core, close } = anotherProcess();
    for (let n = 0; n < 20; n += 1) {
      const deployment = await deploy();
      await findTwice(sites, deployment);
      await takeDownIn(core, deployment);
      expect(sites.peek({ deployment }) ?? (await sites.find({ deployment }))).toBe('taken-down');
    }
    await close();
  });

  it('is visible to the next visitor of that process even if the notification connection was lost before the notification', async () => {
    const { sites, core, close } = anotherProcess();
    for (let n = 0; n < 10; n += 1) {
      const deployment = await deploy();
      await expect.poll(async () => (await findTwice(sites, deployment)) && sites.peek({ deployment })).toBeDefined();
      await endListeners();
      await takeDownIn(core, deployment);
      expect(sites.peek({ deployment }) ?? (await sites.find({ deployment }))).toBe('taken-down');
    }
    await close();
  });

  it('is visible within a second if the connection was lost together with the notification', async () => {
    const { sites, close } = anotherProcess();
    for (let n = 0; n < 5; n += 1) {
      const deployment = await deploy();
      const site = await findTwice(sites, deployment);
      await endListeners();
      await takeDown(deployment);
      expect(await untilChanged(sites, deployment, site)).toBeLessThan(SOON_MS);
    }
    await close();
  });

  it('is visible within a second if the connection is silent: then every request queries the database', async () => {
    let silent = false;
    const { sites, close } = anotherProcess((real) => ({
      subscribe: (onChange) => real.subscribe((payload) => silent || onChange(payload)),
      get confirmedAt() {
        return real.confirmedAt;
      },
      catchUp: () => (silent ? new Promise((resolve) => void setTimeout(resolve, 1_000, false)) : real.catchUp()),
      close: () => real.close(),
    }));
    const deployment = await deploy();
    const site = await findTwice(sites, deployment);
    silent = true;
    await takeDown(deployment);
    expect(await untilChanged(sites, deployment, site)).toBeLessThan(SOON_MS);
    expect(sites.peek({ deployment })).toBeUndefined();
    await close();
  });

  it('is visible even if the subscription failed at first', async () => {
    let isUnreachable = true;
    const { sites, close } = anotherProcess((real) => ({
      subscribe: (onChange) => (isUnreachable ? Promise.reject(new Error('away')) : real.subscribe(onChange)),
      get confirmedAt() {
        return real.confirmedAt;
      },
      catchUp: () => real.catchUp(),
      close: () => real.close(),
    }));
    const deployment = await deploy();
    const site = await sites.find({ deployment });
    expect(site).toMatchObject({ deployment });
    expect(sites.peek({ deployment })).toBeUndefined();
    await takeDown(deployment);
    isUnreachable = false;
    expect(await sites.find({ deployment })).toBe('taken-down');
    await close();
  });
});
