import { recheckDomains } from '../../../src/services/domains/domain-checks.ts';
import { refuseRows, warningLog } from '@berth/testing/refused-rows';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { pauseOrResumeDomains } from '../../../src/services/plan-changes/plan-changes.ts';
import { createDomainWorld, type DomainWorld } from './domain-world.ts';

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

describe('T28: checks in the background', () => {
  it('find the records of an unverified domain', async () => {
    const name = await add(alice, `www.${nextName()}`);
    expect(await recheckDomains(test.core)).toBe(0);
    test.advance(MINUTE);
    expect(await recheckDomains(test.core)).toBe(1);
    expect(await recheckDomains(test.core)).toBe(0);
    await point(alice, name);
    test.advance(MINUTE);
    expect(await recheckDomains(test.core)).toBe(1);
    expect((await rowOf(alice, name)).status).toBe('success');
    expect(await eventsOf(alice, name)).toEqual(['domain.create api-key', 'domain.verify system']);
  });

  it('unverify a domain whose records are definitely gone for a week, never by failed checks', async () => {
    const name = await add(alice, `www.${nextName()}`);
    await point(alice, name);
    await verify(alice, name);
    server.zone.set(name, 'SERVFAIL');
    for (let day = 0; day < 10; day += 1) {
      test.advance(DAY);
      expect(await recheckDomains(test.core)).toBe(1);
    }
    expect(await rowOf(alice, name)).toMatchObject({ status: 'success', misses: 0, checks: [{ failed: true }] });
    server.zone.delete(name);
    for (let day = 0; day <= 7; day += 1) {
      expect((await rowOf(alice, name)).status).toBe('success');
      test.advance(DAY + 1);
      await recheckDomains(test.core);
    }
    expect(await rowOf(alice, name)).toMatchObject({ status: 'pending', verified: null });
    expect(await eventsOf(alice, name)).toEqual([
      'domain.create api-key',
      'domain.verify api-key',
      'domain.update system',
    ]);
    // Now another account can prove the name.
    await add(bob, name);
    await point(bob, name);
    expect((await verify(bob, name)).status).toBe('success');
  });

  it('include paused domains that block a name, and skip other paused ones', async () => {
    const name = await add(alice, `www.${nextName()}`);
    await point(alice, name);
    await verify(alice, name);
    await add(alice, `www.${nextName()}`);
    const fit = (plan: string) =>
      test.core.database.transaction((em) =>
        pauseOrResumeDomains(em, test.core, { account: alice.account, plan, authMethod: 'operator' }),
      );
    await fit('free');
    test.advance(DAY);
    expect(await recheckDomains(test.core)).toBe(1);
    expect((await rowOf(alice, name)).status).toBe('paused');
    await fit('pro');
    expect((await rowOf(alice, name)).status).toBe('success');
  });

  it('are shared by several processes; each domain is checked once', async () => {
    const names = await Promise.all(Array.from({ length: 12 }, () => add(bob, `www.${nextName()}`)));
    test.advance(MINUTE);
    const counts = await Promise.all([1, 2, 3].map(() => recheckDomains(test.core, { batch: 3 })));
    expect(counts.reduce((sum, each) => sum + each)).toBe(names.length);
    expect(server.asked.toSorted()).toEqual(names.map((name) => `CNAME ${name}`).toSorted());
  });

  it('include a domain that a wrong clock marked as checked far in the future', async () => {
    const name = await add(alice, `www.${nextName()}`);
    await point(alice, name);
    const ahead = async (seconds: number, column: string) =>
      test.database.query(`update domain set ${column} = $1 where name = $2`, [
        new Date(test.core.now().getTime() + seconds * 1000),
        name,
      ]);
    test.advance(MINUTE);
    // Another process, with a slightly fast clock, may have been first.
    await ahead(5, 'checked');
    expect(await recheckDomains(test.core)).toBe(0);
    await ahead(365 * DAY, 'checked');
    expect(await recheckDomains(test.core)).toBe(1);
    expect((await rowOf(alice, name)).status).toBe('success');

    test.advance(MINUTE);
    await ahead(DAY, 'next_check');
    expect(await recheckDomains(test.core)).toBe(0);
    await ahead(365 * DAY, 'next_check');
    expect(await recheckDomains(test.core)).toBe(1);
    expect((await rowOf(alice, name)).nextCheck!.getTime()).toBeLessThan(test.core.now().getTime() + 2 * DAY * 1000);
  });

  it('include a paused domain that a wrong clock marked as checked far in the future', async () => {
    const name = await add(alice, `www.${nextName()}`);
    await point(alice, name);
    await verify(alice, name);
    await test.database.query(
      `update domain set status = 'paused', next_check = null, checked = $1::timestamptz + interval '1 year' where name = $2`,
      [test.core.now(), name],
    );
    expect(await recheckDomains(test.core)).toBe(1);
    expect(await recheckDomains(test.core)).toBe(0);
  });

  it('that fail are named in the log, and do not stop the others', async () => {
    const names = [await add(alice, `www.${nextName()}`), await add(alice, `www.${nextName()}`)];
    await point(alice, names[1]!);
    test.advance(MINUTE);
    const { log, warnings } = warningLog();
    const accept = await refuseRows(test.database, 'update of misses on domain', `old.name = '${names[0]}'`);
    try {
      expect(await recheckDomains({ ...test.core, log })).toBe(2);
    } finally {
      await accept();
    }
    const { id } = await rowOf(alice, names[0]!);
    expect(warnings).toMatchObject([{ task: 'check domains', domainId: id, err: { code: '23514' } }]);
    expect((await rowOf(alice, names[1]!)).status).toBe('success');
  });

  it('are bounded per run, and end when they are aborted', async () => {
    await Promise.all(Array.from({ length: 6 }, () => add(bob, `www.${nextName()}`)));
    test.advance(MINUTE);
    expect(await recheckDomains(test.core, { signal: AbortSignal.abort() })).toBe(0);
    expect(await recheckDomains(test.core, { batch: 2, batches: 2 })).toBe(4);
  });
});
