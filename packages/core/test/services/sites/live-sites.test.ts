import { hash } from 'node:crypto';
import { NO_RULES, type Site } from '@berth/serving';
import { ANONYMOUS, createTestCore, deploySite } from '@berth/testing/core';
import { sql } from 'kysely';
import { afterAll, describe, expect, it } from 'vitest';
import { setAccountState } from '../../../src/services/accounts/account-directory.ts';
import { deleteDeployment } from '../../../src/services/deployments/deployments.ts';
import { LiveSiteCache, type LiveSites } from '../../../src/services/sites/live-sites.ts';
import { SiteManifest } from '../../../src/services/sites/site-manifest.ts';

const SITE = { 'index.html': 'hello', 'a/b.html': 'world', empty: '' };

const test = await createTestCore();
const sites = new LiveSiteCache(test.core);
const { caller } = await test.account('scale');
const { account } = caller;
afterAll(() => test.close());

/** Returns the site of a deployment; `null` if the site is not shown. */
async function findSite(cache: LiveSites, deployment: string, { fresh = false } = {}): Promise<Site | null> {
  // Wait for the notifications of changes that other processes made.
  await test.core.database.changes.catchUp();
  const site = await (fresh ? cache.findFresh({ deployment }) : cache.find({ deployment }));
  return typeof site === 'string' ? null : site;
}

/** Returns the text of the front page at an address, the reason why the site is not shown, or `null`. */
async function readShownText(address: Parameters<LiveSites['find']>[0]): Promise<string | null> {
  await test.core.database.changes.catchUp();
  const site = await sites.find(address);
  if (site === null || typeof site === 'string') return site;
  return (await test.core.packs.read(await site.manifest.load('index.html'))).toString();
}

const deploy = async (files: Record<string, string> = SITE, fields = {}, of = caller) =>
  (await deploySite(test.core, of, files, { fields })).body.deployment;
const deployPage = (text: string, fields = {}, of = caller) =>
  deploy({ 'index.html': text, other: `beside ${text}` }, fields, of);

interface DomainRow {
  account?: string;
  kind?: 'platform' | 'custom';
  status?: string;
  deployment?: string | null;
  verified?: boolean;
}

async function addDomain(
  name: string,
  { account: owner = account, kind = 'custom', status = 'success', deployment = null, verified = true }: DomainRow = {},
) {
  await test.database.query(
    `insert into domain (account_id, name, kind, status, deployment_id, labels, created, linked, verified, checks)
     values ($1, $2, $3, $4, $5, '{}', now(), now(), $6, '[]')`,
    [owner, name, kind, status, deployment, verified ? new Date() : null],
  );
}

describe('LiveSiteCache', () => {
  it('finds a live site with the content and place of each file', async () => {
    const deployment = await deploy();
    const site = await findSite(sites, deployment);
    const manifest = expect.any(SiteManifest);
    expect(site).toEqual({ deployment, passwordVersion: null, anonymous: false, manifest, rules: NO_RULES });
    expect(['index.htm', 'a/b', 'EMPTY', ''].map((path) => site!.manifest.has(path))).toEqual([
      false,
      false,
      false,
      false,
    ]);
    for (const [path, text] of Object.entries(SITE)) {
      const place = { pack: expect.any(String), offset: expect.any(Number), length: text.length };
      expect(site!.manifest.has(path)).toBe(true);
      const file = await site!.manifest.load(path);
      expect(file).toEqual({ sha256: hash('sha256', text), ...place });
      expect((await test.core.packs.read(file)).toString()).toBe(text);
    }
  });

  it('says whether a site has a password and an owner', async () => {
    const { body } = await deploySite(test.core, ANONYMOUS, SITE, { fields: { password: 'secret' } });
    expect(await findSite(sites, body.deployment)).toMatchObject({
      passwordVersion: expect.any(String),
      anonymous: true,
    });
  });

  it.each(['calm-otter-0000000', '', '%', "' or true --", 'a'.repeat(5_000), '__proto__'])(
    'finds nothing for a deployment or a domain that does not exist: %j',
    async (name) => {
      expect(await findSite(sites, name)).toBeNull();
      expect(await readShownText({ domain: name })).toBeNull();
    },
  );
});

describe('a cached site', () => {
  it('is dropped at once when its deployment is deleted', async () => {
    const deployment = await deploy();
    expect(await findSite(sites, deployment)).not.toBeNull();
    await deleteDeployment({ core: test.core, caller }, deployment);
    expect(await findSite(sites, deployment)).toBeNull();
    expect(await findSite(sites, deployment, { fresh: true })).toBeNull();
  });

  it('has a new password at once', async () => {
    const deployment = await deploy();
    expect(await findSite(sites, deployment)).toMatchObject({ passwordVersion: null });
    await test.database.query(`update deployment set password_hash = 'x' where id = $1`, [deployment]);
    expect(await findSite(sites, deployment)).toMatchObject({ passwordVersion: expect.any(String) });
  });

  it('scale B8: stays in memory when the state of another account changes', async () => {
    const other = (await test.account()).caller;
    const [kept, suspended] = [await deploy(), await deploy(SITE, {}, other)];
    await addDomain('kept.example', { deployment: kept });
    await addDomain('suspended.example', { account: other.account, deployment: suspended });
    await test.core.database.changes.catchUp();
    const addresses = [
      { deployment: kept },
      { domain: 'kept.example' },
      { deployment: suspended },
      { domain: 'suspended.example' },
    ];
    const peekAll = async () => {
      for (const address of addresses) await sites.find(address);
      return addresses.map((address) => sites.peek(address));
    };
    await expect.poll(peekAll).toEqual(addresses.map(() => expect.objectContaining({ manifest: expect.anything() })));
    const [keptSite] = await peekAll();
    await setAccountState(test.core, other.account, 'suspended');
    expect(addresses.map((address) => sites.peek(address))).toEqual([keptSite, keptSite, undefined, undefined]);
    expect(sites.peek(addresses[0]!)).toBe(keptSite);
    expect(await sites.find(addresses[3]!)).toBe('paused');
  });

  it('C3: has the new places of moved contents after findFresh', async () => {
    const deployment = await deploy();
    const loadPage = async (options = {}) => (await findSite(sites, deployment, options))!.manifest.load('index.html');
    await findSite(sites, deployment);
    const fileBefore = await loadPage();
    expect(await loadPage()).toBe(await loadPage());
    await test.database.query('update content set "offset" = "offset" + 7 where hash = sha256($1)', ['hello']);
    expect(await loadPage()).toEqual(fileBefore);
    expect(await loadPage({ fresh: true })).toEqual({ ...fileBefore, offset: fileBefore.offset + 7 });
    expect((await loadPage()).offset).toBe(fileBefore.offset + 7);
    await test.database.query('update content set "offset" = "offset" - 7 where hash = sha256($1)', ['hello']);
  });

  it.each([1, 2_000, 100_000])('is served even if the cache has only %s bytes', async (cacheBytes) => {
    const smallCache = new LiveSiteCache(test.core, { sitesBytes: cacheBytes });
    const deployments = await Promise.all([deploy(), deploy(), deploy()]);
    for (let round = 0; round < 2; round += 1)
      for (const deployment of deployments)
        expect((await findSite(smallCache, deployment))!.manifest.has('empty')).toBe(true);
  });

  it.each([1, 2_000, 100_000])('is not found without its manifest, in a cache of %s bytes', async (cacheBytes) => {
    const smallCache = new LiveSiteCache(test.core, { sitesBytes: cacheBytes });
    const deployments = await Promise.all(Array.from({ length: 6 }, () => deploy()));
    await test.database.query('delete from manifest where deployment_id = any($1)', [deployments.slice(0, 5)]);
    const foundSites = await Promise.all(deployments.map((deployment) => findSite(smallCache, deployment)));
    expect(foundSites.map((site) => site?.deployment ?? null)).toEqual([null, null, null, null, null, deployments[5]]);
    await test.database.query(`update deployment set status = 'deleting' where id = any($1)`, [deployments]);
  });

  it('is loaded once, not on each visit, even if it is larger than the whole cache', async () => {
    const smallCache = new LiveSiteCache(test.core, { sitesBytes: 1 });
    const deployment = await deploy();
    const site = await findSite(smallCache, deployment);
    expect(smallCache.peek({ deployment })).toBe(site);
    expect(await findSite(smallCache, deployment)).toBe(site);
    await test.core.database.transaction((em) =>
      sql`update deployment set taken_down = now() where id = ${deployment}`.execute(em.getKysely()),
    );
    expect(await smallCache.find({ deployment })).toBe('taken-down');
  });
});

describe('S4: the site at a domain', () => {
  it('is the same as the site at the host of the linked deployment', async () => {
    const deployment = await deployPage('linked', { password: 'open sesame' });
    await addDomain('linked.example', { deployment });
    const [own, found] = [await sites.find({ deployment }), await sites.find({ domain: 'linked.example' })];
    expect(found).toEqual(own);
    expect(found).toMatchObject({ deployment, passwordVersion: expect.any(String), anonymous: false });
  });

  const rows: [string | null, string, DomainRow][] = [
    ['page', 'a platform domain', { kind: 'platform' }],
    ['page', 'a custom domain', {}],
    [null, 'a domain that is not linked', { deployment: null }],
    [null, 'a pending domain', { status: 'pending', verified: false }],
    [null, 'a partial domain', { status: 'partial', verified: false }],
    [null, 'a domain that was never verified', { verified: false }],
    [null, 'a domain that is no longer verified', { status: 'pending' }],
    ['paused', 'a paused domain', { status: 'paused' }],
    ['paused', 'a paused domain that is not linked', { status: 'paused', deployment: null }],
  ];
  it.each(rows)('shows %s if it is %s', async (expected, _, row) => {
    const name = `${crypto.randomUUID()}.example`;
    const deployment = await deployPage('page');
    await addDomain(name, { deployment, ...row });
    expect(await readShownText({ domain: name })).toBe(expected);
    expect(await readShownText({ deployment })).toBe('page');
  });

  it('is not found if a domain has the id of a deployment, or a deployment the name of a domain', async () => {
    const deployment = await deployPage('page');
    await addDomain('apart.example', { deployment });
    expect(await readShownText({ domain: deployment })).toBeNull();
    expect(await readShownText({ deployment: 'apart.example' })).toBeNull();
  });

  it('is the deployment of the account that proved the name, even if the name is pending for other accounts', async () => {
    const [{ caller: winner }, { caller: other }] = [await test.account('pro'), await test.account('pro')];
    const pendingDomain = { account: other.account, status: 'pending', verified: false };
    await addDomain('wanted.example', { ...pendingDomain, deployment: await deployPage('other', {}, other) });
    expect(await readShownText({ domain: 'wanted.example' })).toBeNull();
    const provedDomain = { account: winner.account, deployment: await deployPage('winner', {}, winner) };
    await addDomain('wanted.example', provedDomain);
    expect(await readShownText({ domain: 'wanted.example' })).toBe('winner');
  });
});

describe('api §6: when the state of an account or a site changes,', () => {
  it('the next request at each of its hosts gets the new state', async () => {
    const deployment = await deployPage('page');
    await addDomain('states.example', { deployment });
    await addDomain('paused.example', { deployment, status: 'paused' });
    await addDomain('empty.example');
    const hosts = [{ deployment }, ...['states', 'paused', 'empty'].map((name) => ({ domain: `${name}.example` }))];
    const rows: [state: string, isTakenDown: boolean, expected: (string | null)[]][] = [
      ['active', false, ['page', 'page', 'paused', null]],
      ['suspended', false, ['paused', 'paused', 'paused', 'paused']],
      ['terminated', false, [null, null, null, null]],
      ['active', true, ['taken-down', 'taken-down', 'taken-down', null]],
      ['suspended', true, ['taken-down', 'taken-down', 'taken-down', 'paused']],
      ['terminated', true, [null, null, null, null]],
      ['active', false, ['page', 'page', 'paused', null]],
    ];
    for (const [state, isTakenDown, expected] of rows) {
      await test.database.query('update account set state = $2 where id = $1', [account, state]);
      await test.database.query(`update deployment set taken_down = case when $2 then now() end where id = $1`, [
        deployment,
        isTakenDown,
      ]);
      const answers = [];
      for (const host of hosts) answers.push(await readShownText(host));
      expect(answers, `${state}, taken down: ${isTakenDown}`).toEqual(expected);
    }
  });

  it('a site that was taken down has expired at its time, and is not found while it is being deleted', async () => {
    const deployment = await deployPage('page');
    await test.database.query(
      `update deployment set taken_down = now(), expires = now() - interval '1 second' where id = $1`,
      [deployment],
    );
    expect(await readShownText({ deployment })).toBe('expired');
    await test.database.query(`update deployment set expires = null, status = 'deleting' where id = $1`, [deployment]);
    expect(await readShownText({ deployment })).toBeNull();
  });
});

describe('a site of an older version, without a path index', () => {
  const loadTexts = async (deployment: string) => {
    const { manifest } = (await findSite(new LiveSiteCache(test.core), deployment))!;
    return Promise.all(
      Object.keys(SITE).map(async (path) => String(await test.core.packs.read(await manifest.load(path)))),
    );
  };
  const indexOf = async (deployment: string) =>
    (
      await test.database.query<{ keys: string | null; positions: Buffer | null }>(
        `select path_keys as keys, path_positions as positions from manifest where deployment_id = $1`,
        [deployment],
      )
    )[0]!;

  it('gets the same index at its first visit as a new site, even if two processes add it at once', async () => {
    const deployment = await deploy();
    const index = await indexOf(deployment);
    await test.database.query('update manifest set path_keys = null, path_positions = null where deployment_id = $1', [
      deployment,
    ]);
    const texts = Object.values(SITE);
    expect(await Promise.all([loadTexts(deployment), loadTexts(deployment)])).toEqual([texts, texts]);
    expect(index.positions).toHaveLength(4 * texts.length);
    expect(await indexOf(deployment)).toEqual(index);
  });
});

describe('the files of a cached site', () => {
  it('are found again after they were loaded twice, and throw ENOENT once the site is gone', async () => {
    const deployment = await deploy();
    const { manifest } = (await findSite(sites, deployment))!;
    expect(manifest.peek('index.html')).toBeUndefined();
    const file = await manifest.load('index.html');
    await manifest.load('index.html');
    expect(manifest.peek('index.html')).toEqual(file);
    await test.database.query('delete from manifest where deployment_id = $1', [deployment]);
    await expect(manifest.load('empty')).rejects.toMatchObject({ code: 'ENOENT' });
    await test.database.query(`update deployment set status = 'deleting' where id = $1`, [deployment]);
  });
});

describe('S2: a switch of a domain', () => {
  it('always shows visitors the complete old or new site, even if the old site is deleted at once', async () => {
    let linkedDeployment = await deployPage('start');
    await addDomain('switched.example', { deployment: linkedDeployment });
    // This cache is too small for any site, so a switch can happen between two loads of a request.
    const tinyCache = new LiveSiteCache(test.core, { sitesBytes: 1 });
    let isDone = false;
    const pagesShown = new Set<string>();
    const read = async () => {
      while (!isDone) {
        const site = await tinyCache.find({ domain: 'switched.example' });
        if (site === null || typeof site === 'string') throw new Error(`the domain showed ${site}`);
        const readText = async (path: string) => String(await test.core.packs.read(await site.manifest.load(path)));
        const texts = await Promise.all([readText('index.html'), readText('other')]).catch((error: unknown) => {
          // A visitor whose site is deleted before its file is loaded gets the new site. See C3.
          expect(error).toMatchObject({ code: 'ENOENT' });
          return null;
        });
        if (texts === null) continue;
        const [page, other] = texts;
        expect(other).toBe(`beside ${page}`);
        pagesShown.add(page!);
      }
    };
    const readers = Promise.all([read(), read(), read()]);
    for (let n = 0; n < 40; n += 1) {
      const id = await deployPage(`version ${n}`);
      await test.database.query(`update domain set deployment_id = $1 where name = 'switched.example'`, [id]);
      expect(await readShownText({ domain: 'switched.example' })).toBe(`version ${n}`);
      await test.database.query(`update deployment set status = 'deleting' where id = $1`, [linkedDeployment]);
      await test.database.query(`delete from manifest where deployment_id = $1`, [linkedDeployment]);
      linkedDeployment = id;
    }
    isDone = true;
    await readers;
    expect(pagesShown.size).toBeGreaterThan(10);
  });
});
