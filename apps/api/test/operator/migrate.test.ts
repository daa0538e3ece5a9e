import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestDatabase, type TestDatabase } from '@berth/testing/database';
import { testEnvironment } from '@berth/testing/server';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runBerth } from './run-berth.ts';

let database: TestDatabase;
let dataDir: string;
let env: Record<string, string>;
beforeAll(async () => {
  database = await createTestDatabase();
  dataDir = await mkdtemp(join(tmpdir(), 'berth-migrate-'));
  env = testEnvironment(database, dataDir);
  await database.query(`delete from migration where name like '0012-%'`);
  await database.query('alter table migration drop column berth_version');
});
afterAll(async () => {
  await database.drop();
  await rm(dataDir, { recursive: true });
});

const pendingRows = () => database.query(`select name from migration where name like '0012-%'`);

it('the migrate command reports pending migrations with exit code 1, runs them, and then reports none', async () => {
  const pending = '0012-migration-versions';
  expect(await runBerth(env, 'migrate', '--check')).toEqual({ code: 1, out: `Pending: ${pending}.\n`, err: '' });
  expect(await runBerth(env, 'migrate', '--check', '--json')).toMatchObject({
    code: 1,
    out: JSON.stringify({ pending: [pending] }, null, 2) + '\n',
  });
  expect(await pendingRows()).toEqual([]);
  const { code, out } = await runBerth(env, 'migrate');
  expect(code).toBe(0);
  expect(out).toMatch(/^Applied 0012-migration-versions in \d+ ms\.\nThe database has schema \d+\.\n$/);
  expect(await pendingRows()).toHaveLength(1);
  expect(await runBerth(env, 'migrate', '--check')).toEqual({ code: 0, out: 'No migrations are pending.\n', err: '' });
  expect((await runBerth(env, 'migrate')).out).toMatch(/^The database has schema \d+\.\n$/);
});

it('scale B9: the migrate command refuses a database of a newer version', async () => {
  await database.query(`insert into migration (name, compatible_since, berth_version) values ('0999-x', 999, '7.0.0')`);
  for (const words of [['migrate'], ['migrate', '--check']])
    expect(await runBerth(env, ...words)).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringMatching(/^The database has schema 999.*Install Berth 7\.0\.0/),
    });
});
