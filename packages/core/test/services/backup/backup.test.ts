import { mkdtemp, rm } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestDatabase } from '@berth/testing/database';
import { deploySite, packFile, useTestCore } from '@berth/testing/core';
import { describe, expect, it } from 'vitest';
import { openDatabase } from '../../../src/database/database.ts';
import { backup, type BackupOptions } from '../../../src/services/backup/backup.ts';
import { type RestoreOptions, restore } from '../../../src/services/backup/restore.ts';
import { BACKUP_TABLES, LEFT_OUT_TABLES, NEWEST_SCHEMA } from '../../../src/services/backup/tables.ts';
import { holdPacks } from '../../../src/services/packs/hold.ts';
import { sweep } from '../../../src/services/sweep/sweep.ts';
import { openDiskPacks } from '../../../src/storage/disk-packs.ts';
import { createEmptyDatabase } from './empty-database.ts';

const test = await useTestCore();
const { core } = test;
const OPTIONS: BackupOptions = { berth: '1.2.3', secretKey: null, keyFingerprint: 'f' };
const ACCEPT: RestoreOptions = {
  key: { check: () => true, store: () => Promise.resolve() },
  marker: { wasInterrupted: false, begin: () => Promise.resolve(), end: () => Promise.resolve() },
};

async function collect(write: (sink: (bytes: Buffer) => Promise<void>) => Promise<unknown>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  await write(async (bytes) => void chunks.push(bytes));
  return Buffer.concat(chunks);
}

async function* chunksOf(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += 1_000) yield bytes.subarray(at, at + 1_000);
}

it('every table of the database is in a backup, or is left out for a reason', async () => {
  const tables = await test.database.query<{ name: string }>(
    `select tablename as name from pg_tables where schemaname = 'public' order by 1`,
  );
  const classified = [...BACKUP_TABLES.map(({ name }) => name), ...Object.keys(LEFT_OUT_TABLES)];
  expect(tables.map(({ name }) => name)).toEqual(classified.toSorted());
});

describe('storage W6: while packs are held', () => {
  it('the sweep marks unused packs as dead, and removes their files when the hold ends', async () => {
    const { caller } = await test.account();
    const { body } = await deploySite(core, caller, { 'index.html': 'held' });
    const [{ pack }] = (await test.database.query<{ pack: string }>(
      `select pack_id as pack from deployment_pack where deployment_id = '${body.deployment}'`,
    )) as [{ pack: string }];
    const first = await core.database.connect();
    const second = await core.database.connect();
    await holdPacks(first);
    await holdPacks(second);
    await test.database.query(`update deployment set status = 'deleting' where id = '${body.deployment}'`);
    const stateOfPack = () => test.database.query(`select state from pack where id = '${pack}'`);
    for (const session of [first, second]) {
      expect(await sweep(core, { graceMs: 0 })).toMatchObject({ packs: 0, fenced: true });
      expect([await stateOfPack(), existsSync(packFile(test, pack))]).toEqual([[{ state: 'dead' }], true]);
      await session.end();
    }
    // The server may end a session a moment later than the client.
    await expect.poll(async () => (await sweep(core, { graceMs: 0 })).packs).toBe(1);
    expect([await stateOfPack(), existsSync(packFile(test, pack))]).toEqual([[], false]);
  });
});

describe('api §12: a backup of an older schema', () => {
  it('is migrated after its rows were restored', async () => {
    const older = await createEmptyDatabase();
    const target = await createEmptyDatabase();
    const folder = await mkdtemp(join(tmpdir(), 'berth-older-'));
    try {
      await older.database.migrate({ upTo: 6 });
      await older.query(`
        insert into account (id, email, plan, created, dns_name, period_started) values ('acc-1', 'a@test', 'free', now(), 'abcdefg', now());
        insert into deployment (id, account_id, status, files, size, labels, via, created) values ('calm-otter-4k9x2qd', 'acc-1', 'success', 0, 0, '{}', 'api', now());
        insert into domain (account_id, name, kind, status, deployment_id, labels, created, linked, checks)
          values ('acc-1', 'example.com', 'custom', 'success', 'calm-otter-4k9x2qd', '{}', now(), now(), '[]')`);
      const packs = await openDiskPacks(folder);
      const bytes = await collect((sink) => backup({ ...core, database: older.database, packs }, sink, OPTIONS));
      const summary = await restore(
        { database: target.database, packs },
        [{ label: 'older.tar', chunks: chunksOf(bytes) }],
        ACCEPT,
      );
      expect(summary).toMatchObject({ accounts: 1, deployments: 1, schema: { from: 6, to: NEWEST_SCHEMA } });
      // Migration 7 adds the history of the domains that it finds.
      expect(await target.query('select domain, deployment from domain_version')).toEqual([
        { domain: 'example.com', deployment: 'calm-otter-4k9x2qd' },
      ]);
      expect(await target.database.schemaDrift()).toBe('');
    } finally {
      await older.close();
      await target.close();
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('is refused if this Berth does not know it yet', async () => {
    const bytes = await collect((sink) => backup(core, sink, OPTIONS));
    const database = await createTestDatabase();
    const newer = openDatabase(database.address);
    try {
      await database.query(
        `update migration set name = '9${''.padEnd(3, '9')}-future' where id = (select max(id) from migration)`,
      );
      await expect(backup({ ...core, database: newer }, async () => {}, OPTIONS)).rejects.toThrow(
        `The database has schema 9999, and this Berth knows schema ${NEWEST_SCHEMA}.`,
      );
    } finally {
      await newer.close();
      await database.drop();
    }
    expect(bytes.includes('"schema": ')).toBe(true);
  });
});
