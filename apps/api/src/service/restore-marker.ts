import { existsSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Database, hasAccounts } from '@berth/core';

const FILE = 'restore.json';

/** What a restore records in the data folder while it runs. */
export interface RestoreRecord {
  /** Whether the data folder had a `SECRET_KEY` before the restore. */
  hadKey: boolean;
}

/** Reads the record of a restore that runs or was interrupted. @returns `null` without a record. */
export async function readRestoreRecord(dataDir: string): Promise<RestoreRecord | null> {
  const file = join(dataDir, FILE);
  return existsSync(file) ? (JSON.parse(await readFile(file, 'utf8')) as RestoreRecord) : null;
}

/** Records durably that a restore runs. */
export async function writeRestoreRecord(dataDir: string, record: RestoreRecord): Promise<void> {
  await writeFile(join(dataDir, FILE), `${JSON.stringify(record)}\n`, { mode: 0o600, flush: true });
}

export async function removeRestoreRecord(dataDir: string): Promise<void> {
  await rm(join(dataDir, FILE), { force: true });
}

/**
 * Makes sure that no restore was interrupted. If its rows are visible, it was complete.
 *
 * @throws Error that says what to do. Source: api §12.
 */
export async function requireNoRestore(dataDir: string, database: Database): Promise<void> {
  if ((await readRestoreRecord(dataDir)) === null) return;
  if (!(await hasAccounts(database)))
    throw new Error(
      `A restore into ${dataDir} is running or was interrupted. Wait for it, or run the restore again. ` +
        `To start without it, remove the packs in ${dataDir} and ${join(dataDir, FILE)}.`,
    );
  await removeRestoreRecord(dataDir);
}
