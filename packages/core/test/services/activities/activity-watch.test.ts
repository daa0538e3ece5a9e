import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { AccountCaller } from '../../../src/core.ts';
import { openDatabase } from '../../../src/database/database.ts';
import { recordActivity } from '../../../src/services/activities/activities.ts';
import { createActivityFeed } from '../../../src/services/activities/activity-feed.ts';
import { watchActivities } from '../../../src/services/activities/activity-watch.ts';
import { lockAccount } from '../../../src/services/accounts/account-lock.ts';
import { createTestCore, type TestCore } from '../../test-core.ts';

let test: TestCore;
let caller: AccountCaller;
beforeAll(async () => void (test = await createTestCore()));
afterAll(() => test.close());
beforeEach(async () => void ({ caller } = await test.account()));

const NEVER = new AbortController().signal;
const watch = (core = test.core, signal = NEVER) => watchActivities({ core, caller }, { signal });

/** Enters one activity. */
const act = (name: string) =>
  test.core.database.transaction(async (em) => {
    await lockAccount(em, caller.account);
    recordActivity(em, {
      account: caller.account,
      event: 'account.update',
      authMethod: 'operator',
      created: test.core.now(),
      meta: { name },
    });
  });

describe('contract §9: following the activities of an account', () => {
  it('gives what comes, once each, and what came meanwhile', async () => {
    const activities = (await watch()).activities();
    await act('one');
    await act('two');
    expect((await activities.next()).value).toMatchObject({ activity: { meta: { name: 'one' } } });
    await act('three');
    expect((await activities.next()).value).toMatchObject({ activity: { meta: { name: 'two' } } });
    expect((await activities.next()).value).toMatchObject({ activity: { meta: { name: 'three' } } });
    const fourth = activities.next();
    await act('four');
    expect((await fourth).value).toMatchObject({ activity: { meta: { name: 'four' } } });
    await activities.return();
  });

  it.each([
    [0, ['four']],
    [2, ['two', 'three', 'four']],
    [9, ['one', 'two', 'three', 'four']],
  ])('begins with the newest %i, as far as there are so many, and misses nothing behind them', async (last, names) => {
    await test.database.query('delete from activity where account_id = $1', [caller.account]);
    for (const name of ['one', 'two', 'three']) await act(name);
    const watching = await watchActivities({ core: test.core, caller }, { last, signal: NEVER });
    await act('four');
    const activities = watching.activities();
    for (const name of names) expect((await activities.next()).value).toMatchObject({ activity: { meta: { name } } });
    const fifth = activities.next();
    await act('five');
    expect((await fifth).value).toMatchObject({ activity: { meta: { name: 'five' } } });
    await activities.return();
  });

  it('looks again when word came while it was looking', async () => {
    let wake = () => {};
    let looks = 0;
    const { database } = test.core;
    const core = {
      ...test.core,
      database: {
        ...database,
        em: () => ((looks += 1), database.em()),
        get kysely() {
          looks += 1;
          return database.kysely;
        },
      },
      activityFeed: {
        ...test.core.activityFeed,
        follow: async (_: string, given: () => void) => ((wake = given), () => {}),
      },
    };
    const left = new AbortController();
    const activities = (await watch(core, left.signal)).activities();
    looks = 0;
    const next = activities.next();
    wake();
    await expect.poll(() => looks, { interval: 5 }).toBe(4);
    left.abort();
    expect(await next).toMatchObject({ done: true });
  });

  it('looks at the credential again and again, even when nothing happens', async () => {
    const { activities } = await watchActivities({ core: test.core, caller }, { signal: NEVER, recheckMs: 5 });
    const next = activities()
      .next()
      .catch((error: unknown) => error);
    await test.database.query('delete from token where account_id = $1', [caller.account]);
    expect(await next).toMatchObject({ code: 'authentication_failed' });
  });

  it('ends without a word when its client leaves', async () => {
    const left = new AbortController();
    const activities = (await watch(test.core, left.signal)).activities();
    const next = activities.next();
    left.abort();
    expect(await next).toEqual({ done: true, value: undefined });
  });

  it('breaks off when the service stops, and nobody may begin', async () => {
    const core = { ...test.core, activityFeed: createActivityFeed(test.core.database.activityNews) };
    const activities = (await watch(core)).activities();
    const next = activities.next().catch((error: unknown) => error);
    core.activityFeed.end();
    expect(await next).toMatchObject({ name: 'AbortError' });
    await expect(watch(core)).rejects.toMatchObject({ code: 'unavailable' });
  });

  it.each([
    ['of one account', { perAccount: 1, inAll: 9 }, 'rate_limit_exceeded'],
    ['in all', { perAccount: 9, inAll: 1 }, 'unavailable'],
  ])('is bounded %s, and a place is free again when its holder is gone', async (_, limits, code) => {
    const core = { ...test.core, activityFeed: createActivityFeed(test.core.database.activityNews, limits) };
    const left = new AbortController();
    await watch(core, left.signal);
    await expect(watch(core)).rejects.toMatchObject({ code });
    left.abort();
    const activities = (await watch(core)).activities();
    await expect(watch(core)).rejects.toMatchObject({ code });
    await Promise.all([activities.next(), act('one')]);
    await activities.return();
    await watch(core);
  });

  it('cannot begin while the database is away, and can once it is back', async () => {
    const away = openDatabase({ url: 'postgres://nobody@127.0.0.1:1/nothing' });
    const feed = createActivityFeed(away.activityNews, { perAccount: 1, inAll: 1 });
    for (let attempt = 0; attempt < 2; attempt += 1)
      await expect(feed.follow('somebody', () => {})).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    await away.close();
    await away.close();
    await expect(feed.follow('somebody', () => {})).rejects.toMatchObject({ code: 'unavailable' });
  });
});
