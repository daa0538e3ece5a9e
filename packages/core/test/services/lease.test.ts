import { anotherProcess, useTestCore } from '@berth/testing/core';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { db } from '../../src/database/tables.ts';
import { type HeldLease, LeaseLostError, takeLease } from '../../src/services/lease.ts';

const test = await useTestCore();
const other = await anotherProcess(test);

const expire = (name: string) =>
  test.database.query(`update lease set until = clock_timestamp() where name = $1`, [name]);
const holderOf = async (name: string) =>
  (await test.database.query<{ holder: string }>('select holder from lease where name = $1', [name]))[0]!.holder;
const statements = (lease: HeldLease) => [
  () => lease.core.database.transaction((em) => sql`update account set name = 'changed'`.execute(db(em))),
  () => db(lease.core).updateTable('account').set({ name: 'changed' }).execute(),
];

describe('a lease', () => {
  it('has one holder, of any number of processes that ask at the same time', async () => {
    const leases = await Promise.all([test.core, other, test.core, other].map((core) => takeLease(core, 'one')));
    expect(leases.filter((lease) => lease !== null)).toHaveLength(1);
  });

  it('can be taken again after its release, and after its end', async () => {
    const first = (await takeLease(test.core, 'again'))!;
    await first.release();
    const second = await takeLease(other, 'again');
    expect(second).not.toBeNull();
    expect(await takeLease(test.core, 'again')).toBeNull();
    await expire('again');
    expect(await takeLease(test.core, 'again')).not.toBeNull();
    expect(await second!.renew()).toBe(false);
  });

  it('lasts by the clock of the database, also for a process whose clock is wrong', async () => {
    await takeLease(test.core, 'clock');
    const fast = { ...other, now: () => new Date(Date.now() + 3_600_000) };
    expect(await takeLease(fast, 'clock')).toBeNull();
  });

  it('is not lost to another process by the release of a former holder', async () => {
    const former = (await takeLease(test.core, 'former'))!;
    await expire('former');
    await takeLease(other, 'former');
    await former.release();
    expect(await holderOf('former')).toBe(other.boot);
    expect(await takeLease(test.core, 'former')).toBeNull();
  });
});

describe('storage §11: a process that was paused and has lost its lease', () => {
  it('changes nothing, in a transaction or by a statement, whether another process has the lease or none', async () => {
    await test.account();
    const lease = (await takeLease(test.core, 'paused'))!;
    await expire('paused');
    for (const happen of [async () => {}, () => takeLease(other, 'paused')]) {
      await happen();
      for (const run of statements(lease)) await expect(run()).rejects.toThrow(LeaseLostError);
    }
    expect(await test.database.query(`select from account where name = 'changed'`)).toEqual([]);
  });

  it('keeps the lease until its running transaction ends, and can renew it meanwhile', async () => {
    const lease = (await takeLease(test.core, 'running'))!;
    await lease.core.database.transaction(async (em) => {
      expect(await lease.renew()).toBe(true);
      await expire('running');
      expect(await takeLease(other, 'running')).toBeNull();
      const { rows } = await sql`show idle_in_transaction_session_timeout`.execute(db(em));
      expect(rows).toEqual([{ idle_in_transaction_session_timeout: '10s' }]);
    });
    expect(await takeLease(other, 'running')).not.toBeNull();
  });

  it('runs statements as before while it has the lease', async () => {
    const lease = (await takeLease(test.core, 'held'))!;
    const rows = await db(lease.core).selectFrom('lease').select(['name', 'term']).where('name', '=', 'held').execute();
    expect(rows).toEqual([{ name: 'held', term: 1 }]);
    const { numUpdatedRows } = await db(lease.core)
      .updateTable('boot')
      .set({ started: new Date(0) })
      .executeTakeFirst();
    expect(numUpdatedRows).toBeGreaterThan(0n);
  });
});
