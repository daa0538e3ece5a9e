import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createTestDatabase, type TestDatabase } from '@berth/testing/database';
import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, describe, expect, inject, it } from 'vitest';
import { openDatabase } from '../../src/database/database.ts';
import { migrations } from '../../src/database/migrations/index.ts';

const run = promisify(execFile);
const database = fileURLToPath(import.meta.resolve('../../src/database/database.ts'));

const test = await createTestDatabase();
afterAll(() => test.drop());

describe('the schema', () => {
  it('of a migrated database equals the schema of the entities', async () => {
    const migratedDatabase = openDatabase(test.address);
    expect(await migratedDatabase.schemaDrift()).toBe('');
    await migratedDatabase.close();
  });

  it.each([
    ['a column too many', 'alter table account add column extra text'],
    ['a column too few', 'alter table token drop column last4'],
    ['another type', 'alter table deployment alter column files type bigint'],
    ['a missing index', 'drop index deployment_expires_index'],
    ['a column that may be empty', 'alter table pack alter column boot_id drop not null'],
  ])('differs from the entities after the change %s', async (_, change) => {
    const testDatabase = await createTestDatabase();
    await testDatabase.query(change);
    const drifted = openDatabase(testDatabase.address);
    expect(await drifted.schemaDrift()).not.toBe('');
    await drifted.close();
    await testDatabase.drop();
  });
});

describe('migrations', () => {
  it('run once each when four processes migrate an empty database at the same time', async () => {
    const server = inject('postgres');
    const name = `empty_${process.pid}_${Date.now()}`;
    const admin = new pg.Client({ host: server.socketDir, port: 5432, user: server.user, database: server.database });
    await admin.connect();
    await admin.query(`create database ${name}`);
    const address = { ...server, database: name };
    const program = `
      import { openDatabase } from ${JSON.stringify(database)};
      const database = openDatabase(${JSON.stringify(address)});
      await database.migrate();
      await database.close();`;
    await Promise.all(Array.from({ length: 4 }, () => run(process.execPath, ['--input-type=module', '-e', program])));
    const migratedDatabase = openDatabase(address);
    expect(await migratedDatabase.schemaDrift()).toBe('');
    const { rows } = await sql<{ name: string }>`select name from migration order by id`.execute(
      migratedDatabase.em().getKysely(),
    );
    expect(rows.map((row) => `Migration${row.name.slice(0, 4)}`)).toEqual(migrations.map(({ name }) => name));
    await migratedDatabase.migrate();
    expect(await migratedDatabase.schemaDrift()).toBe('');
    await migratedDatabase.close();
    await admin.query(`drop database ${name} with (force)`);
    await admin.end();
  });

  describe('scale B9: with migrations of a newer program', () => {
    /** Creates a copy of the database that a newer program has migrated. */
    async function createUpgraded(...future: [name: string, compatibleSince: number | null][]): Promise<TestDatabase> {
      const testDatabase = await createTestDatabase();
      const insertMigration = 'insert into migration (name, executed_at, compatible_since) values ($1, now(), $2)';
      for (const row of future) await testDatabase.query(insertMigration, row);
      return testDatabase;
    }

    it('accept a database whose newer migrations are compatible with this program', async () => {
      const testDatabase = await createUpgraded(['0998-more', 6], ['0999-even-more', 9]);
      const program = openDatabase(testDatabase.address);
      await program.migrate();
      expect(await program.isReady()).toBe(true);
      await program.close();
      await testDatabase.drop();
    });

    it.each([
      ['that needs a newer program', 998],
      ['whose newest migration does not declare what it needs', null],
    ])('refuse a database %s, with both versions and the next step in the message', async (_, compatibleSince) => {
      const testDatabase = await createUpgraded(['0998-more', 6], ['0999-breaking', compatibleSince]);
      await testDatabase.query(`update migration set berth_version = '2.5.0' where name like '0999-%'`);
      const migrationsBefore = await testDatabase.query('select * from migration');
      const program = openDatabase(testDatabase.address, { version: '2.3.1' });
      const reason = new RegExp(
        `^The database has schema 999, which needs a Berth that knows schema ${compatibleSince ?? 999} or newer; this one, 2\\.3\\.1, ` +
          'knows schema \\d+\\. Install Berth 2\\.5\\.0 or newer, or restore a backup from before the upgrade\\.$',
      );
      await expect(program.migrate()).rejects.toThrow(reason);
      await expect(program.schema()).rejects.toThrow(reason);
      await program.close();
      expect(await testDatabase.query('select * from migration')).toEqual(migrationsBefore);
      await testDatabase.drop();
    });

    it('record in the database which schema each of them requires', async () => {
      const rows = await test.query<{ name: string; since: number }>(
        'select name, compatible_since as since from migration order by name',
      );
      for (const { name, since } of rows) {
        expect(since, name).toBeGreaterThan(0);
        expect(since, name).toBeLessThanOrEqual(Number.parseInt(name, 10));
      }
      const undeclaredMigrations = migrations.filter(
        ({ name, compatibleSince }) => Number(name.slice(-4)) >= 6 && compatibleSince === undefined,
      );
      expect(undeclaredMigrations).toEqual([]);
    });

    it('update a database from before compatibility was recorded', async () => {
      const testDatabase = await createTestDatabase();
      await testDatabase.query('alter table migration drop column compatible_since');
      await testDatabase.query(`delete from migration where name = '0006-compatibility'`);
      const program = openDatabase(testDatabase.address);
      await program.migrate();
      expect(await testDatabase.query('select name from migration where compatible_since is null')).toEqual([]);
      expect(await program.schemaDrift()).toBe('');
      await program.close();
      await testDatabase.drop();
    });
  });

  it('list each content of an upload once after 0005, and set an upper bound for the storage of accounts', async () => {
    const oldDatabase = await createTestDatabase();
    await oldDatabase.query(`
      delete from migration where name = '0005-storage';
      alter table account drop column storage_bytes, drop column storage_exact, drop column storage_version;
      alter table deployment drop column address;
      alter table upload drop column token, drop column touched;
      drop index upload_address_index`);
    const hash = (byte: string) => `decode(repeat('${byte}', 32), 'hex')`;
    await oldDatabase.query(`
      insert into account (id, email, plan, created, dns_name, period_started) values ('a', 'a@test', 'free', now(), 'a', now());
      insert into deployment (id, account_id, status, files, size, labels, via, created)
        values ('one', 'a', 'success', 1, 70, '{}', 'api', now()), ('gone', 'a', 'deleting', 1, 500, '{}', 'api', now());
      insert into upload (hash, account_id, fingerprint, paths, hashes, sizes, asked, lengths, labels, via, created, expires)
        values ('u', 'a', '', '{x,y}', ${hash('01')} || ${hash('02')}, '{3,4}', ${hash('01')} || ${hash('02')}, '{3,4}', '{}', 'api', now(), now());
      insert into upload_content (upload_hash, hashes, lengths)
        values ('u', ${hash('01')}, '{3}'), ('u', ${hash('02')} || ${hash('01')}, '{4,3}'), ('u', ${hash('01')}, '{3}')`);
    const migratedDatabase = openDatabase(oldDatabase.address);
    await migratedDatabase.migrate();
    expect(await migratedDatabase.schemaDrift()).toBe('');
    await migratedDatabase.close();
    expect(
      await oldDatabase.query(`select encode(hashes, 'hex') as hashes, lengths::text as lengths from upload_content`),
    ).toEqual([{ hashes: '01'.repeat(32) + '02'.repeat(32), lengths: '{3,4}' }]);
    expect(await oldDatabase.query('select storage_bytes::int as bytes, storage_exact as exact from account')).toEqual([
      { bytes: 77, exact: false },
    ]);
    await oldDatabase.drop();
  });

  it('begin the history of each domain with its present link after 0007', async () => {
    const oldDatabase = await createTestDatabase();
    await oldDatabase.query(`
      delete from migration where name in ('0007-domain-versions', '0014-sites', '0015-site-indexes');
      drop index domain_account_changed_name_index;
      drop table domain_version, front_page;
      alter table deployment drop column auth_method, drop column token;
      alter table issued_id drop column expired`);
    await oldDatabase.query(`
      insert into account (id, email, plan, created, dns_name, period_started) values ('a', 'a@test', 'free', now(), 'a', now());
      insert into deployment (id, account_id, status, files, size, labels, via, created)
        values ('one', 'a', 'success', 1, 1, '{}', 'api', now()), ('two', 'a', 'success', 1, 1, '{}', 'api', now());
      insert into domain (account_id, name, kind, status, deployment_id, labels, created, linked, checks) values
        ('a', 'linked.test', 'platform', 'success', 'two', '{}', '2026-01-01', '2026-01-02', '[]'),
        ('a', 'unknown.test', 'platform', 'success', 'one', '{}', '2026-01-01', '2026-01-03', '[]'),
        ('a', 'empty.test', 'platform', 'success', null, '{}', '2026-01-01', null, '[]');
      insert into activity (account_id, event, created, deployment, domain, auth_method, meta) values
        ('a', 'domain.create', '2026-01-01', 'one', 'linked.test', 'operator', '{}'),
        ('a', 'domain.update', '2026-01-02', 'two', 'linked.test', 'api-key', '{}')`);
    const migrated = openDatabase(oldDatabase.address);
    await migrated.migrate();
    expect(await migrated.schemaDrift()).toBe('');
    await migrated.close();
    expect(
      await oldDatabase.query(
        `select domain, deployment, linked::date::text as linked, unlinked, by from domain_version order by id`,
      ),
    ).toEqual([
      { domain: 'linked.test', deployment: 'two', linked: '2026-01-02', unlinked: null, by: 'api-key' },
      { domain: 'unknown.test', deployment: 'one', linked: '2026-01-03', unlinked: null, by: 'system' },
    ]);
    await oldDatabase.drop();
  });

  it('give deployments that were taken down before 0009 the reason in the activities', async () => {
    const oldDatabase = await createTestDatabase();
    await oldDatabase.query(`delete from migration where name = '0009-take-down-reasons'`);
    await oldDatabase.query('drop index deployment_labels_index');
    await oldDatabase.query('alter table deployment drop column take_down_reason');
    await oldDatabase.query(`
      insert into account (id, email, plan, created, dns_name, period_started) values ('a', 'a@test', 'free', now(), 'a', now());
      insert into deployment (id, account_id, status, files, size, labels, via, created, taken_down) values
        ('reason', 'a', 'success', 1, 1, '{}', 'api', now(), now()),
        ('no-reason', 'a', 'success', 1, 1, '{}', 'api', now(), now()),
        ('restored', 'a', 'success', 1, 1, '{}', 'api', now(), null);
      insert into activity (account_id, event, created, deployment, auth_method, meta) values
        ('a', 'deployment.update', now(), 'reason', 'operator', '{"takenDown": true, "reason": "Spam"}'),
        ('a', 'deployment.update', now(), 'reason', 'operator', '{"takenDown": false}'),
        ('a', 'deployment.update', now(), 'reason', 'operator', '{"takenDown": true, "reason": "Phishing"}'),
        ('a', 'deployment.update', now(), 'no-reason', 'operator', '{"takenDown": true}'),
        ('a', 'deployment.update', now(), 'restored', 'operator', '{"takenDown": true, "reason": "Spam"}')`);
    const migrated = openDatabase(oldDatabase.address);
    await migrated.migrate();
    expect(await migrated.schemaDrift()).toBe('');
    await migrated.close();
    expect(await oldDatabase.query('select id, take_down_reason as reason from deployment order by id')).toEqual([
      { id: 'no-reason', reason: null },
      { id: 'reason', reason: 'Phishing' },
      { id: 'restored', reason: null },
    ]);
    await oldDatabase.drop();
  });
});
