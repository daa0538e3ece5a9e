// cspell:ignore mller summe
import { createTestCore, deploySite, refusal } from '@berth/testing/core';
import { afterAll, describe, expect, it } from 'vitest';
import type { AccountCaller } from '../../../src/core.ts';
import { deleteDeployment, updateDeployment } from '../../../src/services/deployments/deployments.ts';
import { setTakenDown } from '../../../src/services/deployments/take-downs.ts';
import { deleteDomain } from '../../../src/services/domains/domains.ts';
import { putDomain } from '../../../src/services/domains/put-domain.ts';
import { getSite, listSites } from '../../../src/services/sites/list-sites.ts';

const test = await createTestCore();
afterAll(() => test.close());

let serial = 0;
const newName = () => `site-${(serial += 1)}.sites.test`;

/** Creates an account, and functions that publish and link one second after what it did before. */
async function newAccount() {
  const { caller } = await test.account('team');
  const own = { core: test.core, caller };
  return {
    own,
    caller,
    async publish(fields: Record<string, string> = {}) {
      test.advance(1);
      return (await deploySite(test.core, caller, { 'index.html': 'home', 'a.txt': 'a' }, { fields })).body.deployment;
    },
    async link(name: string, deployment?: string) {
      test.advance(1);
      return (await putDomain(own, name, deployment === undefined ? {} : { deployment })).domain;
    },
  };
}
const sitesOf = async (caller: AccountCaller, search?: string) => {
  const { sites } = await listSites({ core: test.core, caller }, { limit: 100, ...(search && { search }) });
  return sites.map(({ site }) => site);
};

describe('api §3: the sites of an account', () => {
  it('are its domains, and its deployments that no domain has shown, the most recently changed first', async () => {
    const { caller, publish, link } = await newAccount();
    const [first, alone, second] = [await publish(), await publish(), await publish()];
    const [name, emptyName] = [newName(), newName()];
    await link(name, first);
    await link(emptyName);
    const newest = await publish();
    expect(await sitesOf(caller)).toEqual([newest, emptyName, name, second, alone]);
    await link(name, second);
    expect(await sitesOf(caller)).toEqual([name, newest, emptyName, alone]);
    await deleteDomain({ core: test.core, caller }, name);
    expect(await sitesOf(caller)).toEqual([newest, emptyName, second, alone, first]);
  });

  it('have the address, the size and the state of what visitors see', async () => {
    const { own, publish, link } = await newAccount();
    const deployment = await publish({ password: 'open sesame', labels: '["one"]' });
    const name = newName();
    const { linked } = await link(name, deployment);
    await putDomain(own, name, { labels: ['shop'] });
    const site = {
      deployment,
      state: 'live',
      title: null,
      icon: null,
      reading: true,
      password: true,
      files: 2,
      size: 5,
    };
    expect(await getSite(own, name.toUpperCase())).toEqual({
      ...site,
      site: name,
      url: `https://${name}`,
      domain: name,
      labels: ['shop'],
      changed: linked,
    });
    expect(await getSite(own, deployment)).toMatchObject({
      ...site,
      site: deployment,
      url: `https://${deployment}.sites.test`,
      domain: null,
      labels: ['one'],
    });
  });

  it('have a state for each reason why visitors do not see a deployment', async () => {
    const { own, publish, link } = await newAccount();
    const stateOf = async (site: string) => (await getSite(own, site)).state;
    const [custom, empty, shown] = ['waiting.example.org', newName(), newName()];
    const deployment = await publish();
    for (const name of [custom, shown]) await link(name, deployment);
    await link(empty);
    expect([await stateOf(custom), await stateOf(empty), await stateOf(shown)]).toEqual(['pending', 'empty', 'live']);
    await setTakenDown(test.core, deployment, true);
    expect([await stateOf(custom), await stateOf(shown)]).toEqual(['taken-down', 'taken-down']);
    const deleted = await publish();
    await deleteDeployment(own, deleted);
    expect(await stateOf(deleted)).toBe('deleting');
  });

  it('say when they expire, and end then', async () => {
    const { own, caller, publish } = await newAccount();
    const deployment = await publish();
    const { expires } = await updateDeployment(own, deployment, { ttl: 60 });
    expect(await getSite(own, deployment)).toMatchObject({ state: 'live', expires });
    test.advance(60);
    expect(await sitesOf(caller)).toEqual([]);
    expect(await refusal(getSite(own, deployment))).toMatchObject({ code: 'not_found' });
  });

  it('are found by parts of the domain, the id, the title and the labels, whatever the case', async () => {
    const { own, caller, publish, link } = await newAccount();
    const [titled, labelled, other] = [await publish(), await publish({ labels: '["press.kit"]' }), await publish()];
    await test.database.query('update front_page set title = $2 where deployment_id = $1', [
      titled,
      'Ada’s 100% Notes',
    ]);
    const [shop, umlaut] = [newName(), 'müller.example.org'];
    await link(shop, other);
    await putDomain(own, shop, { labels: ['summer'] });
    await link(umlaut);
    const found = {
      'ADA’S': [titled],
      '100%': [titled],
      '1_0': [],
      's.k': [labelled],
      [labelled.slice(3, 15)]: [labelled],
      summe: [shop],
      [other.toUpperCase()]: [shop],
      Müller: ['xn--mller-kva.example.org'],
      'mller-k': ['xn--mller-kva.example.org'],
      nothing: [],
    };
    for (const [search, sites] of Object.entries(found)) expect(await sitesOf(caller, search), search).toEqual(sites);
  });

  it('are listed in pages without gaps, also while several have the same time', async () => {
    const { own, caller } = await newAccount();
    await test.database.query(
      `with made as (
         insert into deployment (id, account_id, status, files, size, labels, via, created)
         select 'same-time-' || to_char(n, 'fm0000000'), $1, 'success', 1, 1, '{}', 'api', to_timestamp(1790000000 + n / 4)
         from generate_series(1, 23) n)
       insert into domain (account_id, name, kind, status, labels, created, checks, verified)
       select $1, 'same-' || to_char(n, 'fm00') || '.sites.test', 'platform', 'success', '{}', to_timestamp(1790000000 + n / 4), '[]', now()
       from generate_series(1, 23) n`,
      [caller.account],
    );
    const whole = await sitesOf(caller);
    expect(new Set(whole).size).toBe(46);
    const pages: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await listSites(own, { limit: 5, cursor });
      pages.push(...page.sites.map(({ site }) => site));
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    expect(pages).toEqual(whole);
  });

  it('are those of the account alone', async () => {
    const [mine, theirs] = [await newAccount(), await newAccount()];
    const [deployment, name] = [await theirs.publish(), newName()];
    await theirs.link(name, deployment);
    expect(await sitesOf(mine.caller)).toEqual([]);
    for (const site of [deployment, name, 'no name', '', 'calm-otter-zzzzzzz'])
      expect(await refusal(getSite(mine.own, site))).toMatchObject({ code: 'not_found' });
  });
});
