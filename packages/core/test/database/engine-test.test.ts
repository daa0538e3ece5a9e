import { createTestDatabase, type TestDatabase } from '@berth/testing/database';
import { hasPgBouncer, startPgBouncer } from '@berth/testing/pgbouncer';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '../../src/database/database.ts';

let database: TestDatabase;
beforeEach(async () => {
  database = await createTestDatabase();
});
afterEach(() => database.drop());

async function testEngine(url: string = database.url): Promise<void> {
  const opened = openDatabase({ url });
  try {
    await opened.testEngine();
  } finally {
    await opened.close();
  }
}

/** Makes every session find functions that pretend, instead of those of PostgreSQL. */
async function pretend(functions: string): Promise<void> {
  await database.query(`create schema pretend; ${functions}`);
  await database.query(`alter database ${database.address.database} set search_path = pretend, pg_catalog, public`);
}

const set = (setting: string) => database.query(`alter database ${database.address.database} set ${setting}`);

describe('storage §12: the test of the database at the start', () => {
  it('accepts PostgreSQL', async () => {
    await expect(testEngine()).resolves.toBeUndefined();
  });

  it('leaves its sessions in the pool for the first statements, without a transaction', async () => {
    const opened = openDatabase({ url: database.url });
    onTestFinished(() => opened.close());
    await opened.testEngine();
    expect(await opened.connections()).toMatchObject({ used: 0, idle: 4 });
    const states = `select state, count(*)::int from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() group by state`;
    expect(await database.query(states)).toEqual([{ state: 'idle', count: 4 }]);
  });

  it('closes its sessions if it fails', async () => {
    await set('synchronous_commit = off');
    const opened = openDatabase({ url: database.url });
    onTestFinished(() => opened.close());
    await expect(opened.testEngine()).rejects.toThrow('synchronous_commit is off');
    await expect.poll(() => opened.connections()).toMatchObject({ used: 0, idle: 0 });
  });

  it('refuses a version that is too old', async () => {
    await pretend(`create function pretend.current_setting(text) returns text language sql as
      $$ select case $1 when 'server_version_num' then '150004' else pg_catalog.current_setting($1) end $$`);
    await expect(testEngine()).rejects.toThrow(/^Berth needs PostgreSQL 16 or newer; the server is PostgreSQL/);
  });

  it('refuses advisory locks that two sessions can have', async () => {
    await pretend(
      `create function pretend.pg_try_advisory_xact_lock(bigint) returns boolean language sql as 'select true'`,
    );
    await expect(testEngine()).rejects.toThrow('the server grants an advisory lock that another session has');
  });

  it('refuses a lock_timeout that does not end a wait', async () => {
    await pretend(`create function pretend.set_config(text, text, boolean) returns text language sql as
      $$ select case $1 when 'lock_timeout' then $2 else pg_catalog.set_config($1, $2, $3) end $$`);
    await expect(testEngine()).rejects.toThrow('the server does not end the wait for a lock after lock_timeout');
  });

  it('refuses a database that loses commits in a crash', async () => {
    await set('synchronous_commit = off');
    await expect(testEngine()).rejects.toThrow('synchronous_commit is off');
  });

  it('reports a read-only database, such as a standby, as unavailable', async () => {
    await set('default_transaction_read_only = on');
    await expect(testEngine()).rejects.toMatchObject({
      code: 'unavailable',
      message: 'The database is read-only. DATABASE_URL must lead to the primary.',
    });
  });

  describe.skipIf(!hasPgBouncer)('with a pooler', () => {
    const through = async (settings: Record<string, string>) => {
      const pooler = await startPgBouncer(database.address, settings);
      onTestFinished(() => pooler.stop());
      return testEngine(pooler.url(database.address.database));
    };

    it('refuses one that does not accept the settings of a connection', async () => {
      await expect(through({ pool_mode: 'session' })).rejects.toThrow('unsupported startup parameter: options');
    });

    it('refuses one that ignores the settings of a connection', async () => {
      const settings = { pool_mode: 'session', ignore_startup_parameters: 'options' };
      await expect(through(settings)).rejects.toThrow('lock_timeout is 0 instead of 8s');
    });

    it.each(['transaction', 'statement'])('refuses one that shares sessions in the mode "%s"', async (mode) => {
      await set(`lock_timeout = '8s'`);
      const settings = { pool_mode: mode, ignore_startup_parameters: 'options', default_pool_size: '10' };
      await expect(through(settings)).rejects.toThrow(/shares sessions between clients|statement pooling/);
    });

    it('accepts one that gives each client a session of its own, with the settings set in the database', async () => {
      await set(`lock_timeout = '8s'`);
      await expect(through({ pool_mode: 'session', ignore_startup_parameters: 'options' })).resolves.toBeUndefined();
    });
  });
});
