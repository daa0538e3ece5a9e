import { randomBytes } from 'node:crypto';
import { createTestCore, deploySite, readSite, refusal, refusals, whileLocked } from '@berth/testing/core';
import { expectSound, stateOf, sweepAll, closeSwept } from '@berth/testing/invariants';
import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { afterAll, describe, expect, it } from 'vitest';
import type { Core } from '../../src/core.ts';
import { openDatabase } from '../../src/database/database.ts';
import { ServiceError } from '../../src/errors.ts';
import { toServiceError } from '../../src/routers/error-body.ts';
import { getAccount } from '../../src/services/accounts/accounts.ts';
import { authenticate } from '../../src/services/authentication.ts';
import { listDeployments } from '../../src/services/deployments/deployments.ts';
import { LiveSiteCache } from '../../src/services/sites/live-sites.ts';
import { sweep } from '../../src/services/sweep/sweep.ts';

const test = await createTestCore();
const { core } = test;
const { caller, key } = await test.account();
afterAll(() => closeSwept(test));

/** Expects the error that every outage causes. */
const expectOutage = (error: unknown) =>
  expect(toServiceError(error), String(error)).toMatchObject({ code: 'unavailable', status: 503 });
const expectUnavailable = async (work: Promise<unknown>) => expectOutage(await refusal(work));

const killConnection = (em: EntityManager) =>
  sql`select pg_terminate_backend(pg_backend_pid())`.execute(em.getKysely());
const endIdleSessions = () =>
  test.database.query(
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
  );

describe('I9: while PostgreSQL is down', () => {
  it.each<[string, (away: Core) => Promise<unknown>]>([
    ['a deploy', (away) => deploySite(away, caller, { a: randomBytes(10) })],
    ['a large deploy', (away) => deploySite(away, caller, { a: randomBytes(1_500_000) })],
    ['a keyed deploy', (away) => deploySite(away, caller, { a: '1' }, { key: 'k' })],
    ['a list', (away) => listDeployments({ core: away, caller }, { limit: 1 })],
    ['a credential', (away) => authenticate(away, `Bearer ${key}`, '')],
    ['a visit', (away) => new LiveSiteCache(away).find({ deployment: 'calm-otter-0000000' })],
    ['a sweep', (away) => sweep(away)],
  ])('%s is refused with 503 and leaves nothing behind', async (_, call) => {
    const database = openDatabase({ ...test.database.address, socketDir: '/nowhere' });
    await expectUnavailable(call({ ...core, database }));
    expect(await database.isReady()).toBe(false);
    await database.close();
    expect(core.activePacks.size).toBe(0);
    expect(await Array.fromAsync(core.packs.list())).toEqual([]);
  });
});

describe('F12: when PostgreSQL ends its sessions', () => {
  it('calls succeed again if the sessions were idle', async () => {
    await Promise.all(Array.from({ length: 5 }, () => getAccount({ core, caller })));
    await endIdleSessions();
    await expect
      .poll(() => getAccount({ core, caller }).catch(() => null), { timeout: 10_000 })
      .toMatchObject({ account: caller.account });
  });

  it('an open transaction is refused with 503 and leaves nothing behind', async () => {
    const stateBefore = await stateOf(test);
    await expectUnavailable(
      core.database.transaction(async (em) => {
        await sql`insert into issued_id (id) values ('half-done-0000000')`.execute(em.getKysely());
        await killConnection(em);
      }),
    );
    expect(await stateOf(test)).toEqual(stateBefore);
  });

  it('a deploy during COMMIT is refused with 503, and a retry with the same key creates exactly one deployment', async () => {
    await test.database.query('create sequence commits');
    await test.database.query(`
      create function end_session() returns trigger language plpgsql as $$
      begin if nextval('commits') = 1 then perform pg_terminate_backend(pg_backend_pid()); end if; return null; end $$`);
    await test.database.query(
      'create constraint trigger end_session after insert on deployment deferrable initially deferred for each row execute function end_session()',
    );
    const stateBefore = await stateOf(test);
    const files = { 'index.html': randomBytes(2_000) };
    await expectUnavailable(deploySite(core, caller, files, { key: 'commit' }));
    const { body, replayed } = await deploySite(core, caller, files, { key: 'commit' });
    await test.database.query('drop function end_session cascade');
    expect(replayed).toBe(false);
    await sweepAll(test);
    expect(await stateOf(test)).toMatchObject({
      deployment: stateBefore.deployment + 1,
      pack: stateBefore.pack + 1,
      counters: stateBefore.counters + 1,
    });
    expect((await readSite(core, body.deployment))!['index.html']!.equals(files['index.html'])).toBe(true);
  });

  it('each of ten running deploys either succeeds or is refused with 503', async () => {
    const runningDeploys = refusals(
      Array.from({ length: 10 }, (_, i) => deploySite(core, caller, { a: randomBytes(1_000) }, { key: `shaken ${i}` })),
    );
    await endIdleSessions();
    for (const error of await runningDeploys) expectOutage(error);
    await sweepAll(test);
    await expectSound(test);
  });
});

describe('storage §2: a transaction that loses a race for locks', () => {
  const lockAccount = (em: EntityManager) =>
    sql`select 1 from account where id = ${caller.account} for update`.execute(em.getKysely());
  const lockAccountSoon = async (em: EntityManager) => {
    await sql`select set_config('lock_timeout', '30ms', true)`.execute(em.getKysely());
    await lockAccount(em);
  };

  it('is retried and can succeed', async () => {
    let attempts = 0;
    await whileLocked(core, lockAccount, async (release) => {
      const answer = await core.database.transaction(async (em) => {
        attempts += 1;
        if (attempts === 2) await release();
        await lockAccountSoon(em);
        return 'done';
      });
      expect(answer).toBe('done');
    });
    expect(attempts).toBe(2);
  });

  it('is run three times in total and then refused with 503', async () => {
    let attempts = 0;
    await whileLocked(core, lockAccount, async () => {
      await expectUnavailable(
        core.database.transaction(async (em) => {
          attempts += 1;
          await lockAccountSoon(em);
        }),
      );
    });
    expect(attempts).toBe(3);
  });

  it('is retried after a deadlock', async () => {
    await test.database.query(`create table pair (id int primary key); insert into pair values (1), (2)`);
    const lockRow = (em: EntityManager, id: number) =>
      sql`select 1 from pair where id = ${id} for update`.execute(em.getKysely());
    const bothLocked = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;
    let attempts = 0;
    const cross = (mine: 0 | 1) =>
      core.database.transaction(async (em) => {
        attempts += 1;
        await sql`select set_config('deadlock_timeout', '20ms', true)`.execute(em.getKysely());
        await lockRow(em, mine + 1);
        bothLocked[mine].resolve();
        await bothLocked[1 - mine]!.promise;
        await lockRow(em, 2 - mine);
      });
    await Promise.all([cross(0), cross(1)]);
    expect(attempts).toBeGreaterThan(2);
  });

  it('keeps nothing of an attempt that failed', async () => {
    let attempts = 0;
    await core.database.transaction(async (em) => {
      attempts += 1;
      await sql`insert into issued_id (id) values (${`attempt-no-000000${attempts}`})`.execute(em.getKysely());
      if (attempts === 1) throw Object.assign(new Error('deadlock detected'), { code: '40P01' });
    });
    expect(await test.database.query(`select id from issued_id where id like 'attempt-no-%'`)).toEqual([
      { id: 'attempt-no-0000002' },
    ]);
  });

  it.each([
    ['a ServiceError', new ServiceError('unavailable', 'no')],
    ['a unique violation', Object.assign(new Error('duplicate'), { code: '23505' })],
    ['a TypeError', new TypeError('x is undefined')],
  ])('is retried, but not after %s', async (_, fault) => {
    let attempts = 0;
    await expect(
      core.database.transaction(async () => {
        attempts += 1;
        throw fault;
      }),
    ).rejects.toBe(fault);
    expect(attempts).toBe(1);
  });
});
