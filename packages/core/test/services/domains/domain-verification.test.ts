import { createTestCore, refusals } from '@berth/testing/core';
import { type Records, startDnsServer } from '@berth/testing/dns-server';
import { refuseRows, warningLog } from '@berth/testing/refused-rows';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import type { AccountCaller } from '../../../src/core.ts';
import { createDns, type Dns } from '../../../src/dns/dns.ts';
import { Account, Activity, Domain } from '../../../src/entities/index.ts';
import { recheckDomains } from '../../../src/services/domains/domain-checks.ts';
import { wantedRecords } from '../../../src/services/domains/domain-records.ts';
import { checkDomainSetup, findDomainSetup } from '../../../src/services/domains/domain-setup.ts';
import { findProvider, verifyDomain } from '../../../src/services/domains/domains.ts';
import { putDomain } from '../../../src/services/domains/put-domain.ts';
import { pauseOrResumeDomains } from '../../../src/services/plan-changes/plan-changes.ts';

const MINUTE = 60;
const DAY = 24 * 60 * MINUTE;
/** These timeouts are long because the DNS server runs in this process, which may be busy. */
const LONG_TIMEOUTS = { timeoutMs: 60_000, deadlineMs: 90_000 };

const server = await startDnsServer();
const test = await createTestCore({ dns: createDns({ servers: [server.address], ...LONG_TIMEOUTS }) });
const { core } = test;
const { caller: alice } = await test.account('pro');
const { caller: bob } = await test.account('scale');
beforeEach(async () => {
  server.zone.clear();
  server.asked.length = 0;
  await test.database.query('delete from domain');
});
afterAll(async () => {
  await test.close();
  await server.close();
});

let lastNumber = 0;
/** Returns a registrable domain that no other test uses. */
const nextName = () => `site${(lastNumber += 1)}.com`;
async function addDomain(caller: AccountCaller, name = `www.${nextName()}`): Promise<string> {
  await putDomain({ core, caller }, name, {});
  return name;
}
/** Adds the DNS records that a domain of an account needs. */
async function pointToBerth(caller: AccountCaller, name: string): Promise<void> {
  const account = await core.database.em().findOneOrFail(Account, { id: caller.account });
  for (const { type, name: at, values } of wantedRecords(core, account, name)) {
    const records: Records = { ...(server.zone.get(at) as Records | undefined) };
    server.zone.set(at, { ...records, [type]: type === 'CNAME' ? values[0] : values });
  }
}
const verify = (caller: AccountCaller, name: string) => verifyDomain({ core, caller }, name);
/** Adds a domain with its DNS records, and verifies the domain. */
async function prove(caller: AccountCaller, name?: string): Promise<string> {
  const newName = await addDomain(caller, name);
  await pointToBerth(caller, newName);
  expect((await verify(caller, newName)).status).toBe('success');
  return newName;
}
const rowOf = (caller: AccountCaller, name: string) =>
  core.database.em().findOneOrFail(Domain, { account: caller.account, name });
/** Returns the activities of a domain as `event authMethod`, the oldest first. */
async function eventsOf(caller: AccountCaller, domain: string): Promise<string[]> {
  const rows = await core.database.em().find(Activity, { account: caller.account, domain }, { orderBy: { id: 'asc' } });
  return rows.map(({ event, authMethod }) => `${event} ${authMethod}`);
}

describe('api §4: a verification of a domain', () => {
  it('changes the status of a subdomain from pending to success, and records the change once', async () => {
    const name = await addDomain(alice);
    const failed = await verify(alice, name);
    const reason = expect.stringMatching(/^There is no such name\. Want "to-/);
    expect(failed).toMatchObject({
      domain: name,
      status: 'pending',
      checks: [{ type: 'CNAME', name, found: [], ok: false, reason }],
      nextCheck: expect.closeTo(core.now().getTime() / 1000 + MINUTE, -1),
    });
    await pointToBerth(alice, name);
    test.advance(10);
    const verified = await verify(alice, name);
    expect(verified).toMatchObject({ status: 'success', checks: [{ ok: true, found: failed.checks[0]!.expected }] });
    expect(verified.checks[0]).not.toHaveProperty('reason');
    expect(verified.nextCheck).toBeCloseTo(core.now().getTime() / 1000 + DAY, -1);
    test.advance(10);
    await verify(alice, name);
    expect(await eventsOf(alice, name)).toEqual(['domain.create api-key', 'domain.verify api-key']);
  });

  it('sets the status of an apex to partial if it has only addresses, and to success with its TXT record', async () => {
    const name = await addDomain(alice, nextName());
    await pointToBerth(alice, name);
    server.zone.delete(`_berth.${name}`);
    expect(await verify(alice, name)).toMatchObject({
      status: 'partial',
      checks: [{ ok: true }, { ok: true }, { type: 'TXT', name: `_berth.${name}`, ok: false }],
    });
    await pointToBerth(alice, name);
    test.advance(10);
    expect((await verify(alice, name)).status).toBe('success');
  });

  it('is refused for a platform domain, an invalid name, and a domain of another account', async () => {
    await addDomain(alice, 'garden.sites.test');
    const name = await addDomain(bob);
    await expect(verify(alice, 'garden.sites.test')).rejects.toMatchObject({ code: 'business_logic_error' });
    await expect(verify(alice, 'co uk')).rejects.toMatchObject({ code: 'validation_failed' });
    await expect(verify(alice, name)).rejects.toMatchObject({ code: 'not_found' });
    await expect(findProvider({ core, caller: alice }, name)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('is allowed every 10 s for each domain, even if requests are concurrent', async () => {
    const name = await addDomain(alice);
    const start = core.now().getTime();
    const at = (ms: number) =>
      verifyDomain({ core: { ...core, now: () => new Date(start + ms) }, caller: alice }, name);
    // The requests arrive in another order than their times, as if they came from servers with different clocks.
    const refusedChecks = await refusals([3, 1, 4, 2, 0].map(at));
    expect(refusedChecks).toHaveLength(4);
    for (const error of refusedChecks)
      expect(error).toMatchObject({ code: 'rate_limit_exceeded', details: { retryAfter: 10 } });
    expect(server.asked).toEqual([`CNAME ${name}`]);
    await expect(at(5_500)).rejects.toMatchObject({ retryAfterSeconds: 5 });
    await expect(at(10_004)).resolves.toMatchObject({ status: 'pending' });
  });

  it('leaves a paused domain paused', async () => {
    const name = await addDomain(alice);
    await test.database.query(`update domain set status = 'paused' where name = '${name}'`);
    await pointToBerth(alice, name);
    expect(await verify(alice, name)).toMatchObject({ status: 'paused', checks: [{ ok: true }], nextCheck: null });
    expect((await rowOf(alice, name)).verified).toBeNull();
  });

  it('fails with not_found if the domain is deleted during the check', async () => {
    const name = await addDomain(alice);
    const check: Dns['check'] = async (wanted) => {
      await test.database.query(`delete from domain where name = '${name}'`);
      return core.dns.check(wanted);
    };
    const scope = { core: { ...core, dns: { ...core.dns, check } }, caller: alice };
    await expect(verifyDomain(scope, name)).rejects.toMatchObject({ code: 'not_found' });
  });
});

it('api §4: findProvider finds the DNS provider by the registrable domain', async () => {
  const base = nextName();
  const [name, unknown] = [await addDomain(alice, `a.b.${base}`), await addDomain(alice)];
  server.zone.set(base, { NS: ['ns1.hover.com'] });
  const provider = (of: string) => findProvider({ core, caller: alice }, of);
  expect(await provider(name)).toEqual({ domain: name, dns: { provider: { name: 'Hover' } } });
  expect(await provider(unknown)).toEqual({ domain: unknown, dns: null });
});

describe('T28: when accounts prove domains,', () => {
  it.each([
    ['a subdomain', 'www.', 'pending', [{ ok: false, reason: expect.stringContaining('Saw "to-') }]],
    ['an apex', '', 'partial', [{ ok: true }, { ok: true }, { ok: false }]],
  ])('%s is not proved by the records of another account', async (_, prefix, status, checks) => {
    const name = await addDomain(alice, prefix + nextName());
    await addDomain(bob, name);
    await pointToBerth(bob, name);
    expect(await verify(alice, name)).toMatchObject({ status, checks });
    expect((await verify(bob, name)).status).toBe('success');
  });

  it.each([
    ['a proved name', 'www.', 'www.'],
    ['a name below a proved name', '', 'www.'],
    ['a name far below a proved name', '', 'a.b.c.'],
    ['the name above a proved name', 'www.', ''],
    ['a name far above a proved name', 'a.b.c.', 'c.'],
  ])('%s stays pending for another account, even if that account has set the DNS records', async (_, first, second) => {
    const base = nextName();
    const name = await addDomain(bob, second + base);
    await prove(alice, first + base);
    server.zone.clear();
    await pointToBerth(bob, name);
    const { status, checks } = await verify(bob, name);
    expect(status).toBe('pending');
    for (const check of checks)
      expect(check).toMatchObject({ ok: false, reason: expect.stringMatching(/another account has already verified/) });
    expect(await eventsOf(bob, name)).toEqual(['domain.create api-key']);

    // Once the other domain is deleted, the name can be proved.
    await test.database.query(`delete from domain where account_id = '${alice.account}'`);
    test.advance(10);
    expect((await verify(bob, `${name.toUpperCase()}.`)).status).toBe('success');
  });

  it('another account can prove a sibling of a proved name, even if its spelling has the same end', async () => {
    const base = nextName();
    await prove(alice, `shop.${base}`);
    for (const otherLabel of ['blog.', 'myshop.']) await prove(bob, otherLabel + base);
  });

  it('an account can prove names above and below its own names', async () => {
    const base = nextName();
    for (const name of [base, `www.${base}`, `a.www.${base}`]) await prove(alice, name);
  });

  it.each([
    ['the same name', 'www.', 'www.'],
    ['a name and a name below it', '', 'a.b.'],
  ])('only one of two accounts that prove %s at the same time succeeds', async (_, one, other) => {
    for (let round = 0; round < 5; round += 1) {
      const base = nextName();
      const names = [await addDomain(alice, one + base), await addDomain(bob, other + base)] as const;
      await pointToBerth(alice, names[0]);
      const ofAlice = new Map(server.zone);
      server.zone.clear();
      await pointToBerth(bob, names[1]);
      // Each account needs its own DNS server, because both accounts need different records for a name.
      const otherServer = await startDnsServer(Object.fromEntries(ofAlice));
      const otherCore = { ...core, dns: createDns({ servers: [otherServer.address], ...LONG_TIMEOUTS }) };
      const verifications = [verifyDomain({ core: otherCore, caller: alice }, names[0]), verify(bob, names[1])];
      const outcomes = await Promise.all(verifications).finally(() => otherServer.close());
      expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['pending', 'success']);
    }
  });
});

describe('T28: the DNS checks in the background', () => {
  it('find the records of an unverified domain', async () => {
    const name = await addDomain(alice);
    expect(await recheckDomains(core)).toBe(0);
    test.advance(MINUTE);
    expect(await recheckDomains(core)).toBe(1);
    expect(await recheckDomains(core)).toBe(0);
    await pointToBerth(alice, name);
    test.advance(MINUTE);
    expect(await recheckDomains(core)).toBe(1);
    expect((await rowOf(alice, name)).status).toBe('success');
    expect(await eventsOf(alice, name)).toEqual(['domain.create api-key', 'domain.verify system']);
  });

  it('unverify a domain whose records are missing for a week, but never because of failed checks', async () => {
    const name = await prove(alice);
    server.zone.set(name, 'SERVFAIL');
    for (let day = 0; day < 10; day += 1) {
      test.advance(DAY);
      expect(await recheckDomains(core)).toBe(1);
    }
    expect(await rowOf(alice, name)).toMatchObject({ status: 'success', misses: 0, checks: [{ failed: true }] });
    server.zone.delete(name);
    for (let day = 0; day <= 7; day += 1) {
      expect((await rowOf(alice, name)).status).toBe('success');
      test.advance(DAY + 1);
      await recheckDomains(core);
    }
    expect(await rowOf(alice, name)).toMatchObject({ status: 'pending', verified: null });
    expect((await eventsOf(alice, name)).slice(1)).toEqual(['domain.verify api-key', 'domain.update system']);
    // Another account can prove the name as soon as the domain is unverified.
    await prove(bob, name);
  });

  it('include paused domains that block a name, and skip other paused domains', async () => {
    const name = await prove(alice);
    await addDomain(alice);
    const fit = (plan: string) =>
      core.database.transaction((em) =>
        pauseOrResumeDomains(em, core, { account: alice.account, plan, authMethod: 'operator' }),
      );
    await fit('free');
    test.advance(DAY);
    expect(await recheckDomains(core)).toBe(1);
    expect((await rowOf(alice, name)).status).toBe('paused');
    await fit('pro');
    expect((await rowOf(alice, name)).status).toBe('success');
  });

  it('are distributed among several processes, so that each domain is checked once', async () => {
    const names = await Promise.all(Array.from({ length: 12 }, () => addDomain(bob)));
    test.advance(MINUTE);
    const recheckCounts = await Promise.all([1, 2, 3].map(() => recheckDomains(core, { batch: 3 })));
    expect(recheckCounts.reduce((sum, each) => sum + each)).toBe(names.length);
    expect(server.asked.toSorted()).toEqual(names.map((name) => `CNAME ${name}`).toSorted());
  });

  it.each([
    ['checked', 5],
    ['next_check', DAY],
  ])('include a domain whose %s is a year ahead, but not if it is only %s s ahead', async (column, few) => {
    const name = await addDomain(alice);
    await pointToBerth(alice, name);
    const setAhead = async (seconds: number) =>
      test.database.query(`update domain set ${column} = $1 where name = $2`, [
        new Date(core.now().getTime() + seconds * 1000),
        name,
      ]);
    test.advance(MINUTE);
    // The last check may come from another process whose clock is slightly ahead.
    await setAhead(few);
    expect(await recheckDomains(core)).toBe(0);
    await setAhead(365 * DAY);
    expect(await recheckDomains(core)).toBe(1);
    const { status, nextCheck } = await rowOf(alice, name);
    expect(status).toBe('success');
    expect(nextCheck!.getTime()).toBeLessThan(core.now().getTime() + 2 * DAY * 1000);
  });

  it('include a paused domain whose last check is a year in the future because of a wrong clock', async () => {
    const name = await prove(alice);
    await test.database.query(
      `update domain set status = 'paused', next_check = null, checked = $1::timestamptz + interval '1 year' where name = $2`,
      [core.now(), name],
    );
    expect(await recheckDomains(core)).toBe(1);
    expect(await recheckDomains(core)).toBe(0);
  });

  it('continue with other domains if a check fails, and log the failure', async () => {
    const [failing, other] = [await addDomain(alice), await addDomain(alice)];
    await pointToBerth(alice, other);
    test.advance(MINUTE);
    const { log, warnings } = warningLog();
    await refuseRows(test.database, 'update of misses on domain', `old.name = '${failing}'`);
    expect(await recheckDomains({ ...core, log })).toBe(2);
    const { id } = await rowOf(alice, failing);
    expect(warnings).toMatchObject([{ task: 'check domains', domainId: id, err: { code: '23514' } }]);
    expect((await rowOf(alice, other)).status).toBe('success');
  });
});

describe('api §4: the page of a share link', () => {
  const hashOf = async (caller: AccountCaller, name: string) => (await rowOf(caller, name)).shareHash!;

  it('shows the records with their states and the provider, but nothing of the account', async () => {
    const base = nextName();
    const name = await addDomain(alice, `www.${base}`);
    server.zone.set(base, { NS: ['ns1.hover.com'] });
    const hash = await hashOf(alice, name);
    const domainSetup = await findDomainSetup(core, hash);
    expect(domainSetup).toMatchObject({
      domain: name,
      status: 'pending',
      provider: 'Hover',
      checked: null,
      waitSeconds: 0,
      records: [{ type: 'CNAME', name, relative: 'www', state: 'unseen', reason: null }],
    });
    expect(JSON.stringify(domainSetup)).not.toContain(alice.account);
    const now = core.now();
    const frozenCore = { ...core, now: () => now };
    expect(await checkDomainSetup(frozenCore, hash)).toBe(true);
    expect(await findDomainSetup(frozenCore, hash)).toMatchObject({
      records: [{ state: 'missing', reason: expect.stringMatching(/^There is no such name/) }],
      checked: now,
      waitSeconds: 10,
    });
    await pointToBerth(alice, name);
    // A request within the cooldown does not check the DNS.
    await checkDomainSetup(frozenCore, hash);
    expect(await findDomainSetup(core, hash)).toMatchObject({ status: 'pending' });
    test.advance(10);
    await checkDomainSetup(core, hash);
    expect(await findDomainSetup(core, hash)).toMatchObject({
      status: 'success',
      records: [{ state: 'found', reason: null }],
    });
  });

  it('shows the records of an apex by their relative names, such as @', async () => {
    const domainSetup = await findDomainSetup(core, await hashOf(alice, await addDomain(alice, nextName())));
    expect(domainSetup!.records.map(({ type, relative }) => `${type} ${relative}`)).toEqual([
      'A @',
      'AAAA @',
      'TXT _berth',
    ]);
  });

  it.each(['', 'x', '0'.repeat(32), '0'.repeat(31), "0' or 1=1", '%00'])(
    'does not exist for a link with the hash %j',
    async (hash) => {
      expect(await findDomainSetup(core, hash)).toBeNull();
      expect(await checkDomainSetup(core, hash)).toBe(false);
    },
  );

  it('checks no DNS for a suspended account, and does not exist for a terminated account', async () => {
    const { caller } = await test.account('pro');
    const name = await addDomain(caller);
    const hash = await hashOf(caller, name);
    await pointToBerth(caller, name);
    const setState = (state: string) =>
      test.database.query('update account set state = $2 where id = $1', [caller.account, state]);
    await setState('suspended');
    expect(await checkDomainSetup(core, hash)).toBe(true);
    expect((await rowOf(caller, name)).status).toBe('pending');
    await setState('terminated');
    expect(await findDomainSetup(core, hash)).toBeNull();
  });
});
