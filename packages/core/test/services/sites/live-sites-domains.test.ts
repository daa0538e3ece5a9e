import { createTestCore, deploySite, type TestCore } from '@berth/testing/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AccountCaller } from '../../../src/core.ts';
import { LiveSiteCache, type LiveSites } from '../../../src/services/sites/live-sites.ts';

let test: TestCore;
let sites: LiveSites;
beforeAll(async () => {
  test = await createTestCore();
  sites = new LiveSiteCache(test.core);
});
afterAll(() => test.close());

interface DomainRow {
  account: string;
  name: string;
  kind?: 'platform' | 'custom';
  status?: string;
  deployment?: string | null;
  verified?: boolean;
}

async function addDomain({
  account,
  name,
  kind = 'custom',
  status = 'success',
  deployment = null,
  verified = true,
}: DomainRow) {
  await test.database.query(
    `insert into domain (account_id, name, kind, status, deployment_id, labels, created, linked, verified, checks)
     values ($1, $2, $3, $4, $5, '{}', now(), now(), $6, '[]')`,
    [account, name, kind, status, deployment, verified ? new Date() : null],
  );
}

/** A short form of the answer at an address: the front page, why it is not shown, or `null`. */
async function shown(address: Parameters<LiveSites['find']>[0]): Promise<string | null> {
  await test.core.database.siteChanges.catchUp();
  const site = await sites.find(address);
  if (site === null || typeof site === 'string') return site;
  return (await test.core.packs.read(site.manifest.get('index.html')!)).toString();
}

const deploy = async (caller: AccountCaller, text: string, fields = {}) =>
  (await deploySite(test.core, caller, { 'index.html': text, other: `beside ${text}` }, { fields })).body.deployment;

describe('S4: the site of a domain', () => {
  it('is its deployment, the same as at the deployment’s own host', async () => {
    const { caller } = await test.account('pro');
    const deployment = await deploy(caller, 'linked', { password: 'open sesame' });
    await addDomain({ account: caller.account, name: 'linked.example', deployment });
    const [own, found] = [await sites.find({ deployment }), await sites.find({ domain: 'linked.example' })];
    expect(found).toEqual(own);
    expect(found).toMatchObject({ deployment, passwordVersion: expect.any(String), anonymous: false });
  });

  const rows: [string, Omit<DomainRow, 'account' | 'name'>, string | null][] = [
    ['a platform domain', { kind: 'platform' }, 'page'],
    ['a custom domain', {}, 'page'],
    ['a domain that is not linked', { deployment: null }, null],
    ['a pending domain', { status: 'pending', verified: false }, null],
    ['a partial domain', { status: 'partial', verified: false }, null],
    ['a domain that was never proved', { verified: false }, null],
    ['a domain that has lost its proof', { status: 'pending' }, null],
    ['a paused domain', { status: 'paused' }, 'paused'],
    ['a paused domain that is not linked', { status: 'paused', deployment: null }, 'paused'],
  ];
  it.each(rows)('%s %j: %s', async (_, row, expected) => {
    const { caller } = await test.account('pro');
    const name = `${crypto.randomUUID()}.example`;
    const deployment = await deploy(caller, 'page');
    await addDomain({ account: caller.account, name, deployment, ...row });
    expect(await shown({ domain: name })).toBe(expected);
    expect(await shown({ deployment })).toBe('page');
  });

  it.each([['nowhere.example'], [''], ["' or true --"], ['__proto__'], ['a'.repeat(253)]])(
    'is missing at %j',
    async (domain) => {
      expect(await shown({ domain })).toBeNull();
    },
  );

  it('is not found by the name of a deployment, nor a deployment by the name of a domain', async () => {
    const { caller } = await test.account('pro');
    const deployment = await deploy(caller, 'page');
    await addDomain({ account: caller.account, name: 'apart.example', deployment });
    expect(await shown({ domain: deployment })).toBeNull();
    expect(await shown({ deployment: 'apart.example' })).toBeNull();
  });

  it('is the deployment of the account that proved the name, even if other accounts have it pending', async () => {
    const [{ caller: winner }, { caller: other }] = [await test.account('pro'), await test.account('pro')];
    await addDomain({
      account: other.account,
      name: 'wanted.example',
      status: 'pending',
      verified: false,
      deployment: await deploy(other, 'other'),
    });
    expect(await shown({ domain: 'wanted.example' })).toBeNull();
    await addDomain({ account: winner.account, name: 'wanted.example', deployment: await deploy(winner, 'winner') });
    expect(await shown({ domain: 'wanted.example' })).toBe('winner');
  });
});

describe('api §6: a state of the account or the site applies at every host, from the next request on', () => {
  // Each row has a state of the account, whether the site was taken down, and what the hosts show: own, domain, paused
  // domain.
  const rows: [string, boolean, (string | null)[]][] = [
    ['active', false, ['page', 'page', 'paused']],
    ['suspended', false, ['paused', 'paused', 'paused']],
    ['terminated', false, [null, null, null]],
    ['active', true, ['taken-down', 'taken-down', 'taken-down']],
    ['suspended', true, ['taken-down', 'taken-down', 'taken-down']],
    ['terminated', true, [null, null, null]],
    ['active', false, ['page', 'page', 'paused']],
  ];
  it('one state after another on one site', async () => {
    const { caller } = await test.account('pro');
    const deployment = await deploy(caller, 'page');
    const { account } = caller;
    await addDomain({ account, name: 'states.example', deployment });
    await addDomain({ account, name: 'paused.example', deployment, status: 'paused' });
    await addDomain({ account, name: 'empty.example' });
    for (const [state, isTakenDown, expected] of rows) {
      await test.database.query('update account set state = $2 where id = $1', [account, state]);
      await test.database.query('update deployment set taken_down = $2 where id = $1', [
        deployment,
        isTakenDown ? new Date() : null,
      ]);
      expect(
        [
          await shown({ deployment }),
          await shown({ domain: 'states.example' }),
          await shown({ domain: 'paused.example' }),
        ],
        `${state}, taken down: ${isTakenDown}`,
      ).toEqual(expected);
      expect(await shown({ domain: 'empty.example' }), state).toBe(state === 'suspended' ? 'paused' : null);
    }
  });

  it('a site that was taken down is not found once it has expired or is being deleted', async () => {
    const { caller } = await test.account();
    const deployment = await deploy(caller, 'page');
    await test.database.query(
      `update deployment set taken_down = now(), expires = now() - interval '1 second' where id = $1`,
      [deployment],
    );
    expect(await shown({ deployment })).toBeNull();
    await test.database.query(`update deployment set expires = null, status = 'deleting' where id = $1`, [deployment]);
    expect(await shown({ deployment })).toBeNull();
  });
});

describe('S2: a switch', () => {
  it('shows visitors the complete old or new site, never a gap, even if the old one is removed at once', async () => {
    const { caller } = await test.account('scale');
    const { account } = caller;
    await addDomain({ account, name: 'switched.example', deployment: await deploy(caller, 'start') });
    // Nothing is cached: between reading the domain and reading the manifest there is time for a switch.
    const forgetful = new LiveSiteCache(test.core, { sitesBytes: 1 });
    let isDone = false;
    const seen = new Set<string>();
    const read = async () => {
      while (!isDone) {
        const site = await forgetful.find({ domain: 'switched.example' });
        if (site === null || typeof site === 'string') throw new Error(`the domain showed ${site}`);
        const [page, other] = await Promise.all(
          ['index.html', 'other'].map(async (path) => String(await test.core.packs.read(site.manifest.get(path)!))),
        );
        expect(other).toBe(`beside ${page}`);
        seen.add(page!);
      }
    };
    const readers = Promise.all([read(), read(), read()]);
    let [last] = await test.database.query<{ id: string }>(
      `select deployment_id as id from domain where name = 'switched.example'`,
    );
    for (let n = 0; n < 40; n += 1) {
      const id = await deploy(caller, `version ${n}`);
      await test.database.query(`update domain set deployment_id = $1 where name = 'switched.example'`, [id]);
      expect(await shown({ domain: 'switched.example' })).toBe(`version ${n}`);
      await test.database.query(`update deployment set status = 'deleting' where id = $1`, [last!.id]);
      await test.database.query(`delete from manifest where deployment_id = $1`, [last!.id]);
      last = { id };
    }
    isDone = true;
    await readers;
    expect(seen.size).toBeGreaterThan(10);
  });
});
