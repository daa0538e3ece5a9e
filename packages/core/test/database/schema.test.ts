import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { openDatabase } from '../../src/database/database.ts';
import { migrations } from '../../src/database/migrations/index.ts';
import { createTestDatabase, type TestDatabase } from '../test-database.ts';

const run = promisify(execFile);
const database = fileURLToPath(import.meta.resolve('../../src/database/database.ts'));

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

describe('the schema', () => {
  it('of a migrated database is the one the entities describe', async () => {
    const migrated = openDatabase(test.address);
    expect(await migrated.schemaDrift()).toBe('');
    await migrated.close();
  });

  it.each([
    ['a column too many', 'alter table account add column extra text'],
    ['a column too few', 'alter table token drop column last4'],
    ['another type', 'alter table deployment alter column files type bigint'],
    ['a missing index', 'drop index deployment_expires_index'],
    ['a column that may be empty', 'alter table pack alter column boot_id drop not null'],
  ])('is told apart: %s', async (_, change) => {
    const copy = await createTestDatabase();
    await copy.query(change);
    const drifted = openDatabase(copy.address);
    expect(await drifted.schemaDrift()).not.toBe('');
    await drifted.close();
    await copy.drop();
  });
});

describe('migrations', () => {
  it('bring an empty database up to date, four processes at once, each migration once', async () => {
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
    const migrated = openDatabase(address);
    expect(await migrated.schemaDrift()).toBe('');
    const { rows } = await sql<{ name: string }>`select name from migration order by id`.execute(
      migrated.em().getKysely(),
    );
    expect(rows.map((row) => row.name)).toEqual(
      migrations.map(
        (Migration) =>
          (new Migration(...([] as never as ConstructorParameters<typeof Migration>)) as { name: string }).name,
      ),
    );
    await migrated.migrate();
    await migrated.close();
    await admin.query(`drop database ${name} with (force)`);
    await admin.end();
  });

  it('change nothing in a database that is up to date', async () => {
    const migrated = openDatabase(test.address);
    const state = () =>
      test.query(
        "select table_name, column_name, data_type from information_schema.columns where table_schema = 'public' order by 1, 2",
      );
    const before = await state();
    await Promise.all([migrated.migrate(), migrated.migrate()]);
    expect(await state()).toEqual(before);
    expect(before.length).toBeGreaterThan(40);
    await migrated.close();
  });
});
