import { createTestDatabase, type TestDatabase } from '@berth/testing/database';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../src/database/database.ts';
import { type MigrationClass, migrations } from '../../src/database/migrations/index.ts';
import { sampleMigration } from '@berth/testing/sample-migration';

const ADD_COLUMN = sampleMigration('0901-motto', ['alter table "account" add column "motto" text null']);
const ADD_TABLE = sampleMigration('0902-flags', ['create table "flag" ("id" text not null, primary key ("id"))']);
const ADD_INDEX = sampleMigration(
  '0903-account-names',
  ['create unique index concurrently if not exists "account_name_unique" on "account" ("name")'],
  { transactional: false },
);
const ADD_ACCOUNTS = `insert into account (id, email, name, plan, created, dns_name, period_started)
  values ('a', 'a@test', 'Ada', 'free', now(), 'a', now()), ('b', 'b@test', $1, 'free', now(), 'b', now())`;

let test: TestDatabase;
const opened: Database[] = [];
const clients: pg.Client[] = [];
const logged: { level: string; fields: object; message: string }[] = [];
beforeEach(async () => {
  test = await createTestDatabase();
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((database) => database.close()));
  await Promise.all(clients.splice(0).map((client) => client.end()));
  logged.length = 0;
  await test.drop();
});

/** Opens the database as a future release with more migrations. */
function openFuture(...future: readonly MigrationClass[]): Database {
  const line = (level: string) => (fields: object, message: string) => void logged.push({ level, fields, message });
  const database = openDatabase(test.address, {
    version: '9.0.0',
    migrations: [...migrations, ...future],
    log: { info: line('info'), warn: line('warn'), error: line('error') },
  });
  opened.push(database);
  return database;
}

/** Opens a session that holds what its statements lock until it runs `commit`. */
async function openTransaction(...statements: readonly string[]): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: test.url });
  client.on('error', () => {});
  clients.push(client);
  await client.connect();
  for (const statement of ['begin', ...statements]) await client.query(statement);
  return client;
}

/** Returns the process id of the session that waits for a lock in a statement that matches a pattern. */
async function waitingSession(pattern: string): Promise<number> {
  const find = () =>
    test.query<{ pid: number }>(
      `select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like $1`,
      [pattern],
    );
  await expect.poll(find).toHaveLength(1);
  return (await find())[0]!.pid;
}

const namesOfApplied = async () =>
  (await test.query<{ name: string }>(`select name from migration where name like '09%' order by id`)).map(
    ({ name }) => name,
  );

describe('pending migrations', () => {
  it('run in order, log one line each, and record the version of Berth', async () => {
    const database = openFuture(ADD_COLUMN, ADD_TABLE, ADD_INDEX);
    const newest = Math.max(...migrations.map(({ name }) => Number(name.slice(-4))));
    expect(await database.schema()).toEqual({
      installed: newest,
      known: 903,
      pending: ['0901-motto', '0902-flags', '0903-account-names'],
    });
    const applied = await database.migrate();
    expect(applied).toEqual(
      ['0901-motto', '0902-flags', '0903-account-names'].map((name) => ({ name, durationMs: expect.any(Number) })),
    );
    expect(logged).toEqual(applied.map((fields) => ({ level: 'info', fields, message: 'Migrated the database' })));
    const rows = await test.query(`select name, compatible_since, berth_version from migration where name like '09%'`);
    expect(rows).toEqual(applied.map(({ name }) => ({ name, compatible_since: 4, berth_version: '9.0.0' })));
    expect(await database.schema()).toEqual({ installed: 903, known: 903, pending: [] });
    expect(await database.migrate()).toEqual([]);
  });

  it('run up to a number, for a restore of an older backup', async () => {
    const database = openFuture(ADD_COLUMN, ADD_TABLE);
    expect(await database.migrate({ upTo: 901 })).toMatchObject([{ name: '0901-motto' }]);
    expect(await database.schema()).toEqual({ installed: 901, known: 902, pending: ['0902-flags'] });
  });

  it('stay applied when a later migration fails; the error names that migration', async () => {
    const broken = sampleMigration('0902-broken', ['create table "half" ("id" int)', 'select 1 / 0']);
    await expect(openFuture(ADD_COLUMN, broken).migrate()).rejects.toThrow('migration 0902-broken: division by zero');
    expect(await namesOfApplied()).toEqual(['0901-motto']);
    expect(await test.query(`select to_regclass('half') as table`)).toEqual([{ table: null }]);
  });
});

describe('scale B10: a migration that waits for a lock', () => {
  it('lets other statements run every 2 s, logs that it waits, and completes after the lock is released', async () => {
    const reader = await openTransaction('select * from account');
    const migrated = openFuture(ADD_COLUMN).migrate();
    await waitingSession('alter table%');
    // Waits behind the migration, until the migration gives up its place.
    await test.query(ADD_ACCOUNTS, ['Bob']);
    await expect.poll(() => logged).toMatchObject([{ level: 'warn', message: /^A migration waits for other/ }]);
    await reader.query('commit');
    expect(await migrated).toMatchObject([{ name: '0901-motto' }]);
    expect(await test.query('select motto from account')).toHaveLength(2);
  });

  it('lets a program of version 0.1.0 start while an index is created concurrently', async () => {
    const reader = await openTransaction('lock table account in share update exclusive mode');
    const migrated = openFuture(ADD_INDEX).migrate();
    await waitingSession('create unique index%');
    const start = await openTransaction('select pg_advisory_xact_lock(7212001)');
    await start.query('commit');
    await reader.query('commit');
    await migrated;
    expect(await namesOfApplied()).toEqual(['0903-account-names']);
  });

  it('waits for a program of version 0.1.0 that is migrating, and skips what that program has done', async () => {
    const start = await openTransaction('select pg_advisory_xact_lock(7212001)');
    const migrated = openFuture(ADD_TABLE).migrate();
    await waitingSession('select pg_advisory%');
    await start.query(`insert into migration (name) values ('0902-flags')`);
    await start.query('commit');
    expect(await migrated).toEqual([]);
  });
});

describe('a migration that was interrupted', () => {
  it.each([
    ['before its first statement', 'account'],
    ['between two statements', 'domain'],
    ['before it was recorded', 'migration'],
  ])('%s is undone, keeps the migrations before it, and is completed by the next start', async (_, table) => {
    const twoSteps = sampleMigration('0904-two-steps', [
      'alter table "account" add column "step_one" text null',
      'alter table "domain" add column "step_two" text null',
    ]);
    await openFuture(ADD_TABLE).migrate();
    const blocker = await openTransaction(`lock table ${table} in exclusive mode`);
    const migrating = openFuture(twoSteps).migrate();
    const pid = await waitingSession(table === 'migration' ? 'insert into "migration"%' : `alter table "${table}"%`);
    await Promise.all([expect(migrating).rejects.toThrow(), test.query('select pg_terminate_backend($1)', [pid])]);
    await blocker.query('commit');
    const columns = `select column_name from information_schema.columns where column_name like 'step%' order by 1`;
    expect(await test.query(columns)).toEqual([]);
    expect(await openFuture(twoSteps).migrate()).toMatchObject([{ name: '0904-two-steps' }]);
    expect(await test.query(columns)).toHaveLength(2);
  });

  it('while it created an index concurrently is completed by the next start, without an invalid index', async () => {
    const reader = await openTransaction('select * from account for update');
    await reader.query(`insert into account (id, email, plan, created, dns_name, period_started)
      values ('c', 'c@test', 'free', now(), 'c', now())`);
    const migrating = openFuture(ADD_INDEX).migrate();
    const pid = await waitingSession('create unique index%');
    await Promise.all([expect(migrating).rejects.toThrow(), test.query('select pg_terminate_backend($1)', [pid])]);
    await reader.query('commit');
    const valid = `select indisvalid as valid from pg_index where indexrelid = 'account_name_unique'::regclass`;
    expect(await test.query(valid)).toEqual([{ valid: false }]);
    await openFuture(ADD_INDEX).migrate();
    expect(await test.query(valid)).toEqual([{ valid: true }]);
  });

  it('by rows that a unique index does not allow succeeds once the rows are corrected', async () => {
    await test.query(ADD_ACCOUNTS, ['Ada']);
    await expect(openFuture(ADD_INDEX).migrate()).rejects.toThrow(
      /^migration 0903-account-names: could not create unique/,
    );
    await test.query(`update account set name = 'Bob' where id = 'b'`);
    expect(await openFuture(ADD_INDEX).migrate()).toHaveLength(1);
    await expect(test.query(`update account set name = 'Ada'`)).rejects.toThrow(/account_name_unique/);
  });

  it('whose index was complete but not recorded only records it', async () => {
    await test.query('create unique index account_name_unique on account (name)');
    expect(await openFuture(ADD_INDEX).migrate()).toMatchObject([{ name: '0903-account-names' }]);
  });
});
