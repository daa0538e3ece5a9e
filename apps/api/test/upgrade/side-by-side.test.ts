import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '@berth/core';
import { createEmptyDatabase } from '@berth/testing/database';
import { migrations } from '@berth/testing/internals';
import { type LaunchedProcess, launchProcess, type ServerProcess, whenUp } from '@berth/testing/process';
import { sampleMigration } from '@berth/testing/sample-migration';
import { testEnvironment } from '@berth/testing/server';
import { expect, it, onTestFinished } from 'vitest';
import { runBerth } from '../operator/run-berth.ts';
import { extractLastRelease, findLastRelease, LAST_RELEASE } from './last-release.ts';
import { startTraffic } from './traffic.ts';

/** Migrations of a future release that this one and the last one can work with. */
const ADDITIVE = [
  sampleMigration('0901-motto', [`alter table "deployment" add column "motto" text not null default 'none'`]),
  sampleMigration('0902-flags', ['create table "flag" ("id" text not null, primary key ("id"))']),
  sampleMigration(
    '0903-content-length',
    ['create index concurrently if not exists "content_length_index" on "content" ("length")'],
    { transactional: false },
  ),
];
const BREAKING = sampleMigration('0904-breaking', ['create table "breaking" ("id" int)'], { compatibleSince: 904 });

it(
  `version ${LAST_RELEASE.version} and this version serve side by side on one database and one DATA_DIR, while it is migrated`,
  {
    // It starts six servers, one after another.
    timeout: 400_000,
  },
  async ({ skip }) => {
    const missing = await findLastRelease();
    if (missing !== null && process.env['CI'] === undefined) skip(missing);
    const release = await extractLastRelease();
    const database = await createEmptyDatabase();
    const dataDir = await mkdtemp(join(tmpdir(), 'berth-side-by-side-'));
    const launched: LaunchedProcess[] = [];
    onTestFinished(async () => {
      for (const { child } of launched) child.kill('SIGKILL');
      await Promise.all(launched.map(({ exited }) => exited));
      await Promise.all([database.drop(), release.remove(), rm(dataDir, { recursive: true })]);
    });
    const env = testEnvironment(database, dataDir, { SECRET_KEY: 'ab'.repeat(32), COMPRESSION: 'on' });
    const launch = (program?: string): LaunchedProcess => {
      const server = launchProcess(env, program);
      launched.push(server);
      return server;
    };
    const stop = async ({ child, exited }: ServerProcess) => {
      child.kill('SIGTERM');
      expect(await exited).toBe(0);
    };
    const schemaOf = async () =>
      (await database.query<{ name: string }>('select name from migration')).map(({ name }) => name);

    const older = await whenUp(launch(release.main));
    expect(await schemaOf()).not.toContain('0012-migration-versions');
    const traffic = startTraffic([older]);
    await traffic.rounds();

    // The upgrade: this version migrates while the earlier one serves.
    const newer = await whenUp(launch());
    expect(await schemaOf()).toContain('0012-migration-versions');
    traffic.servers = [older, newer];
    await traffic.rounds();

    const future = openDatabase(database.address, { migrations: [...migrations, ...ADDITIVE] });
    expect(await future.migrate()).toHaveLength(ADDITIVE.length);
    await future.close();
    await traffic.rounds();

    // An earlier version starts on a newer schema that is compatible with it, for example after a crash.
    traffic.servers = [newer];
    await traffic.rounds();
    await stop(older);
    const restarted = await whenUp(launch(release.main));
    traffic.servers = [newer, restarted];
    await traffic.rounds();

    await traffic.stop();
    expect(await runBerth({ ...env, PORT: String(newer.port) }, 'doctor')).toMatchObject({ code: 0 });
    await Promise.all([stop(newer), stop(restarted)]);

    const contract = openDatabase(database.address, { migrations: [...migrations, ...ADDITIVE, BREAKING] });
    await contract.migrate();
    await contract.close();
    for (const program of [release.main, undefined]) {
      const refused = launch(program);
      expect(await refused.exited).toBe(1);
      expect(refused.output()).toMatch(
        /The database has schema 904, which needs a Berth that knows schema 904 or newer; this one/,
      );
    }
  },
);
