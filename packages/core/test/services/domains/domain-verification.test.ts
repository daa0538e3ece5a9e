import { startDnsServer } from '@berth/testing/dns-server';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createDns, type Dns } from '../../../src/dns/dns.ts';
import { findProvider, verifyDomain } from '../../../src/services/domains/domains.ts';
import { putDomain } from '../../../src/services/domains/put-domain.ts';
import type { AccountCaller } from '../../../src/core.ts';
import { createDomainWorld, type DomainWorld, PATIENT } from './domain-world.ts';

const MINUTE = 60;
const DAY = 24 * 60 * MINUTE;

let world: DomainWorld;
let test: DomainWorld['test'];
let server: DomainWorld['server'];
let alice: DomainWorld['alice'];
let bob: DomainWorld['bob'];
let add: DomainWorld['add'];
let verify: DomainWorld['verify'];
let rowOf: DomainWorld['rowOf'];
let eventsOf: DomainWorld['eventsOf'];
let point: DomainWorld['point'];
let nextName: DomainWorld['nextName'];

beforeAll(async () => {
  world = await createDomainWorld();
  ({ test, server, alice, bob, add, verify, rowOf, eventsOf, point, nextName } = world);
});
beforeEach(() => world.clear());
afterAll(() => world.close());

const scopeOf = (caller: AccountCaller) => ({ core: test.core, caller });

describe('api §4: verify', () => {
  it('moves a subdomain from pending to success, and records it once', async () => {
    const name = await add(alice, `www.${nextName()}`);
    const before = await verify(alice, name);
    expect(before).toMatchObject({
      domain: name,
      status: 'pending',
      checks: [
        {
          type: 'CNAME',
          name,
          found: [],
          ok: false,
          reason: expect.stringMatching(/^There is no such name\. Want "to-/),
        },
      ],
      nextCheck: expect.closeTo(test.core.now().getTime() / 1000 + MINUTE, -1),
    });
    await point(alice, name);
    test.advance(10);
    const after = await verify(alice, name);
    expect(after).toMatchObject({ status: 'success', checks: [{ ok: true, found: before.checks[0]!.expected }] });
    expect(after.checks[0]).not.toHaveProperty('reason');
    expect(after.nextCheck).toBeCloseTo(test.core.now().getTime() / 1000 + DAY, -1);
    test.advance(10);
    await verify(alice, name);
    expect(await eventsOf(alice, name)).toEqual(['domain.create api-key', 'domain.verify api-key']);
  });

  it('moves an apex to success via partial: addresses and a TXT proof of the account', async () => {
    const name = await add(alice, nextName());
    await point(alice, name, ['A', 'AAAA']);
    const routed = await verify(alice, name);
    expect(routed).toMatchObject({
      status: 'partial',
      checks: [{ ok: true }, { ok: true }, { type: 'TXT', name: `_berth.${name}`, ok: false }],
    });
    await point(alice, name);
    test.advance(10);
    expect((await verify(alice, name)).status).toBe('success');
  });

  it('refuses a platform domain, an invalid name, and a name of another account', async () => {
    await putDomain(scopeOf(alice), 'garden.sites.test', {});
    const name = await add(bob, nextName());
    await expect(verify(alice, 'garden.sites.test')).rejects.toMatchObject({ code: 'business_logic_error' });
    await expect(verify(alice, 'co uk')).rejects.toMatchObject({ code: 'validation_failed' });
    await expect(verify(alice, name)).rejects.toMatchObject({ code: 'not_found' });
    await expect(findProvider(scopeOf(alice), name)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('is allowed every 10 s per domain, also with concurrent requests', async () => {
    const name = await add(alice, `www.${nextName()}`);
    const start = test.core.now().getTime();
    const at = (ms: number) =>
      verifyDomain({ core: { ...test.core, now: () => new Date(start + ms) }, caller: alice }, name);
    // The requests come from several processes, and not in the order of their clocks.
    const outcomes = await Promise.allSettled([3, 1, 4, 2, 0].map(at));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const outcome of outcomes)
      if (outcome.status === 'rejected')
        expect(outcome.reason).toMatchObject({ code: 'rate_limit_exceeded', details: { retryAfter: 10 } });
    expect(server.asked).toEqual([`CNAME ${name}`]);
    await expect(at(5_500)).rejects.toMatchObject({ retryAfterSeconds: 5 });
    await expect(at(10_004)).resolves.toMatchObject({ status: 'pending' });
  });

  it('leaves a paused domain paused', async () => {
    const name = await add(alice, `www.${nextName()}`);
    await test.database.query(`update domain set status = 'paused' where name = '${name}'`);
    await point(alice, name);
    expect(await verify(alice, name)).toMatchObject({ status: 'paused', checks: [{ ok: true }], nextCheck: null });
    expect((await rowOf(alice, name)).verified).toBeNull();
  });

  it('answers not_found if the domain is deleted during the check', async () => {
    const name = await add(alice, `www.${nextName()}`);
    const check: Dns['check'] = async (wanted) => {
      await test.database.query(`delete from domain where name = '${name}'`);
      return test.core.dns.check(wanted);
    };
    const core = { ...test.core, dns: { ...test.core.dns, check } };
    await expect(verifyDomain({ core, caller: alice }, name)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('returns the DNS provider of the registrable domain', async () => {
    const base = nextName();
    const name = await add(alice, `a.b.${base}`);
    server.zone.set(base, { NS: ['ns1.hover.com'] });
    expect(await findProvider(scopeOf(alice), name)).toEqual({ domain: name, dns: { provider: { name: 'Hover' } } });
    const unknown = await add(alice, nextName());
    expect(await findProvider(scopeOf(alice), unknown)).toEqual({ domain: unknown, dns: null });
  });
});

describe('T28: proving a domain', () => {
  it("a name that points at another account's target proves nothing", async () => {
    const name = await add(alice, `www.${nextName()}`);
    await add(bob, name);
    await point(bob, name);
    expect(await verify(alice, name)).toMatchObject({
      status: 'pending',
      checks: [{ ok: false, reason: expect.stringContaining('Saw "to-') }],
    });
    expect(await verify(bob, name)).toMatchObject({ status: 'success' });
  });

  it('an apex that points here proves nothing without the proof of the account', async () => {
    const name = await add(alice, nextName());
    await add(bob, name);
    await point(bob, name);
    expect(await verify(alice, name)).toMatchObject({
      status: 'partial',
      checks: [{ ok: true }, { ok: true }, { ok: false }],
    });
  });

  it.each<[string, (base: string) => string, (base: string) => string]>([
    ['the same name', (base) => `www.${base}`, (base) => `www.${base}`],
    ['the same name in upper case with a dot', (base) => `www.${base}`, (base) => `WWW.${base.toUpperCase()}.`],
    ['a child', (base) => base, (base) => `www.${base}`],
    ['a child far below', (base) => base, (base) => `a.b.c.${base}`],
    ['the parent', (base) => `www.${base}`, (base) => base],
    ['a name far above', (base) => `a.b.c.${base}`, (base) => `c.${base}`],
  ])('%s of a proved name stays pending for another account, even with its records', async (_, first, second) => {
    const base = nextName();
    const existing = await add(alice, first(base));
    await add(bob, second(base));
    const wanted = second(base).toLowerCase().replace(/\.$/, '');
    await point(alice, existing);
    expect((await verify(alice, existing)).status).toBe('success');
    server.zone.clear();
    await point(bob, wanted);
    const { status, checks } = await verify(bob, second(base));
    expect(status).toBe('pending');
    for (const check of checks)
      expect(check).toMatchObject({ ok: false, reason: expect.stringMatching(/another account has already proved/) });
    expect(await eventsOf(bob, wanted)).toEqual(['domain.create api-key']);

    // Once the other domain is deleted, the name can be proved.
    await test.database.query(`delete from domain where account_id = '${alice.account}'`);
    test.advance(10);
    expect((await verify(bob, second(base))).status).toBe('success');
  });

  it.each([
    ['a sibling', 'a.', 'b.'],
    ['a name that ends alike', 'shop.', 'myshop.'],
  ])('%s of a proved name can be proved by another account', async (_, one, other) => {
    const base = nextName();
    for (const [caller, name] of [
      [alice, one + base],
      [bob, other + base],
    ] as const) {
      await add(caller, name);
      await point(caller, name);
      expect((await verify(caller, name)).status).toBe('success');
    }
  });

  it('an account can prove names above and below its own', async () => {
    const base = nextName();
    for (const name of [base, `www.${base}`, `a.www.${base}`]) {
      await add(alice, name);
      await point(alice, name);
      expect((await verify(alice, name)).status).toBe('success');
    }
  });

  it.each([
    ['one name', 'www.', 'www.'],
    ['a name and one below it', '', 'a.b.'],
  ])('of two accounts that prove %s at once one wins', async (_, one, other) => {
    for (let round = 0; round < 5; round += 1) {
      const base = nextName();
      const names = [one + base, other + base] as const;
      await add(alice, names[0]);
      await add(bob, names[1]);
      await point(alice, names[0]);
      const ofAlice = new Map(server.zone);
      server.zone.clear();
      await point(bob, names[1]);
      // Each account needs a server with its own records: one server can only serve one set.
      const second = await startDnsServer(Object.fromEntries(ofAlice));
      const core = { ...test.core, dns: createDns({ servers: [second.address], ...PATIENT }) };
      const both = await Promise.all([verifyDomain({ core, caller: alice }, names[0]), verify(bob, names[1])]);
      await second.close();
      expect(both.map(({ status }) => status).toSorted()).toEqual(['pending', 'success']);
    }
  });
});
