import { useTestCore, deploySite } from '@berth/testing/core';
import { stateOf, sweepAll } from '@berth/testing/invariants';
import { refuseRows } from '@berth/testing/refused-rows';
import { beforeEach, describe, expect, it } from 'vitest';
import type { AccountCaller } from '../../../src/core.ts';
import { openDatabase } from '../../../src/database/database.ts';
import { lockAccount } from '../../../src/services/accounts/account-lock.ts';
import { listActivities, recordActivity } from '../../../src/services/activities/activities.ts';
import { createActivityFeed } from '../../../src/services/activities/activity-feed.ts';
import { watchActivities } from '../../../src/services/activities/activity-watch.ts';
import { deleteDeployment, updateDeployment } from '../../../src/services/deployments/deployments.ts';

const SITE = { 'index.html': 'hello' };

let caller: AccountCaller;
const test = await useTestCore();
beforeEach(async () => void ({ caller } = await test.account()));

const scope = () => ({ core: test.core, caller });
const rowOf = (deployment: string) =>
  test.database.query('select labels, status from deployment where id = $1', [deployment]);
const allActivities = async () => (await listActivities(scope(), { limit: 100 })).activities;

describe('api §6: the audit log', () => {
  it('of a new account lists the creation of its API key and of the account, newest first', async () => {
    const commonFields = { created: expect.any(Number), authMethod: 'operator' };
    expect(await allActivities()).toEqual([
      { ...commonFields, event: 'account.key.generate', token: caller.token, meta: {} },
      { ...commonFields, event: 'account.create', meta: { email: expect.any(String), plan: 'free' } },
    ]);
  });
});

describe('api §6: the audit log is filtered', () => {
  const events = async (filter: { event?: string; authMethod?: string }, limit = 100) =>
    (await listActivities(scope(), { limit, ...filter })).activities.map(({ event }) => event);

  it('by events and groups of events, and by cause, also across pages', async () => {
    const { body } = await deploySite(test.core, caller, SITE);
    await updateDeployment(scope(), body.deployment, { labels: ['one'] });
    await deleteDeployment(scope(), body.deployment);
    expect(await events({ event: 'deployment' })).toEqual([
      'deployment.delete',
      'deployment.update',
      'deployment.create',
    ]);
    expect(await events({ event: 'deployment.update,account.create' })).toEqual([
      'deployment.update',
      'account.create',
    ]);
    expect(await events({ event: 'account', authMethod: 'operator' })).toEqual([
      'account.key.generate',
      'account.create',
    ]);
    expect(await events({ event: 'deployment', authMethod: 'operator' })).toEqual([]);
    expect(await events({ event: 'deploy' })).toEqual([]);
    const filter = { event: 'deployment', limit: 2 };
    const { activities, nextCursor } = await listActivities(scope(), filter);
    expect(activities).toHaveLength(2);
    const next = await listActivities(scope(), { ...filter, cursor: nextCursor });
    expect(next.activities.map(({ event }) => event)).toEqual(['deployment.create']);
    expect(next).not.toHaveProperty('nextCursor');
  });
});

describe('api §6: an activity is recorded in the transaction of its change, so', () => {
  it('a deploy, an update and a deletion fail if the activity cannot be recorded', async () => {
    const { body } = await deploySite(test.core, caller, SITE);
    const stateBefore = await stateOf(test);
    const allowRows = await refuseRows(test.database, 'insert on activity', 'true');
    for (const change of [
      () => deploySite(test.core, caller, { other: 'bytes' }),
      () => updateDeployment(scope(), body.deployment, { labels: ['one'] }),
      () => deleteDeployment(scope(), body.deployment),
    ])
      await expect(change()).rejects.toThrow('refused by the test');
    await allowRows();
    expect(await stateOf(test)).toEqual(stateBefore);
    expect(await rowOf(body.deployment)).toEqual([{ labels: [], status: 'success' }]);
  });

  it('a deployment does not expire while its expiry cannot be recorded', async () => {
    const { body } = await deploySite(test.core, caller, SITE, { fields: { ttl: '1' } });
    test.advance(2);
    const allowRows = await refuseRows(test.database, 'insert on activity', 'true');
    expect(await sweepAll(test)).toMatchObject({ expired: 0 });
    await allowRows();
    expect(await rowOf(body.deployment)).toEqual([{ labels: [], status: 'success' }]);
    await sweepAll(test);
    const expiry = { event: 'deployment.expire', deployment: body.deployment, authMethod: 'system' };
    expect((await allActivities())[0]).toMatchObject(expiry);
  });

  it('a change that fails is not recorded', async () => {
    const { body } = await deploySite(test.core, caller, SITE);
    await deleteDeployment(scope(), body.deployment);
    const activitiesBefore = await allActivities();
    await deleteDeployment(scope(), body.deployment);
    await expect(updateDeployment(scope(), body.deployment, { labels: [] })).rejects.toThrow();
    await expect(deleteDeployment(scope(), 'calm-otter-0000000')).rejects.toThrow();
    await expect(deploySite(test.core, caller, SITE, { fields: { checksums: '[]' } })).rejects.toThrow();
    expect(await allActivities()).toEqual(activitiesBefore);
  });
});

const NEVER_ABORTED = new AbortController().signal;
const watch = (core = test.core, signal = NEVER_ABORTED) => watchActivities({ core, caller }, { signal });

type Activities = ReturnType<Awaited<ReturnType<typeof watch>>['activities']>;
const nextName = async (activities: Activities) => {
  const { done, value } = await activities.next();
  return done ? null : value.activity.meta['name'];
};

/** Records one activity. */
const recordNamed = (name: string) =>
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

describe("api §9: a watch of an account's activities", () => {
  it.each([
    [0, ['four']],
    [2, ['two', 'three', 'four']],
    [9, ['one', 'two', 'three', 'four']],
  ])('begins with at most the newest %i activities, and then yields every further activity', async (last, names) => {
    await test.database.query('delete from activity where account_id = $1', [caller.account]);
    for (const name of ['one', 'two', 'three']) await recordNamed(name);
    const watching = await watchActivities({ core: test.core, caller }, { last, signal: NEVER_ABORTED });
    await recordNamed('four');
    const activities = watching.activities();
    for (const name of names) expect(await nextName(activities)).toBe(name);
    const fifthName = nextName(activities);
    await recordNamed('five');
    expect(await fifthName).toBe('five');
    await activities.return();
  });

  it('reads the activities again if a notification arrives during a read', async () => {
    let wakeWatch = () => {};
    let readCount = 0;
    const { database } = test.core;
    const core = {
      ...test.core,
      database: {
        ...database,
        em: () => ((readCount += 1), database.em()),
        get kysely() {
          readCount += 1;
          return database.kysely;
        },
      },
      activityFeed: {
        ...test.core.activityFeed,
        subscribe: async (_: string, onNews: () => void) => ((wakeWatch = onNews), () => {}),
      },
    };
    const leaving = new AbortController();
    const activities = (await watch(core, leaving.signal)).activities();
    readCount = 0;
    const nextActivity = activities.next();
    wakeWatch();
    await expect.poll(() => readCount, { interval: 5 }).toBe(4);
    leaving.abort();
    expect(await nextActivity).toMatchObject({ done: true });
  });

  it('fails soon after the credential is deleted, even without new activities', async () => {
    const { activities } = await watchActivities({ core: test.core, caller }, { signal: NEVER_ABORTED, recheckMs: 5 });
    const nextActivity = activities()
      .next()
      .catch((error: unknown) => error);
    await test.database.query('delete from token where account_id = $1', [caller.account]);
    expect(await nextActivity).toMatchObject({ code: 'authentication_failed' });
  });

  it('ends without an error when its client disconnects', async () => {
    const leaving = new AbortController();
    const activities = (await watch(test.core, leaving.signal)).activities();
    const nextActivity = activities.next();
    leaving.abort();
    expect(await nextActivity).toEqual({ done: true, value: undefined });
  });

  it('fails when the service stops; a new watch is refused', async () => {
    const core = { ...test.core, activityFeed: createActivityFeed(test.core.database.changes) };
    const activities = (await watch(core)).activities();
    const nextActivity = activities.next().catch((error: unknown) => error);
    core.activityFeed.end();
    expect(await nextActivity).toMatchObject({ name: 'AbortError' });
    await expect(watch(core)).rejects.toMatchObject({ code: 'unavailable' });
  });

  it.each([
    ['of the account', { perAccount: 1, perProcess: 9 }, 'rate_limit_exceeded'],
    ['of the process', { perAccount: 9, perProcess: 1 }, 'unavailable'],
  ])('is refused while there are too many watches %s, until a client disconnects', async (_, limits, code) => {
    const core = { ...test.core, activityFeed: createActivityFeed(test.core.database.changes, limits) };
    const leaving = new AbortController();
    await watch(core, leaving.signal);
    await expect(watch(core)).rejects.toMatchObject({ code });
    leaving.abort();
    const activities = (await watch(core)).activities();
    await expect(watch(core)).rejects.toMatchObject({ code });
    await Promise.all([activities.next(), recordNamed('one')]);
    await activities.return();
    await watch(core);
  });

  it('cannot start while the database is unavailable, and a failed start does not count against the limits', async () => {
    const unreachableDatabase = openDatabase({ url: 'postgres://missing@127.0.0.1:1/nothing' });
    const activityFeed = createActivityFeed(unreachableDatabase.changes, { perAccount: 1, perProcess: 1 });
    for (let attempt = 0; attempt < 2; attempt += 1)
      await expect(activityFeed.subscribe('account', () => {})).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    await unreachableDatabase.close();
    await unreachableDatabase.close();
    await expect(activityFeed.subscribe('account', () => {})).rejects.toMatchObject({ code: 'unavailable' });
  });
});
