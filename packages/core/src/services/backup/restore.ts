import type { Client } from 'pg';
import type { Database } from '../../database/database.ts';
import { prepareCopySession, quoteName } from '../../database/copy.ts';
import { failpoint } from '../../failpoints.ts';
import type { BackupMember } from '../../storage/backup-file.ts';
import type { BackupSource } from '../../storage/backup-reader.ts';
import type { PackStore } from '../../storage/packs.ts';
import { type OpenBackup, openChain } from './chain.ts';
import { KEY_MEMBER, type Manifest } from './manifest.ts';
import { PackRestorer } from './pack-restorer.ts';
import { RowLoader } from './row-loader.ts';
import { BACKUP_TABLES, NEWEST_SCHEMA, readColumns, readSchemaNumber } from './tables.ts';

/** An installation without rows and packs, which no server uses. */
export interface RestoreTarget {
  database: Database;
  packs: PackStore;
}

/** How a restore uses `SECRET_KEY`. */
export interface RestoreKey {
  /**
   * Decides whether the backup can be restored with the configured key.
   *
   * @returns False if the installation will have another key than the backup. What only the old key decrypts is then left out.
   * @throws Error if the backup cannot be restored.
   */
  check(key: Manifest['key']): boolean;
  /** Stores the key of the backup durably. Called after all bytes were verified, before the rows become visible. */
  store(key: Buffer): Promise<void>;
}

/** Records durably that a restore is running, so that no server uses a target that is neither empty nor complete. */
export interface RestoreMarker {
  /** Whether an earlier restore was interrupted. All packs of the target then belong to it, and are removed. */
  wasInterrupted: boolean;
  /** Called before anything is written. */
  begin(): Promise<void>;
  /** Called when the target is complete, or empty again. */
  end(outcome: 'restored' | 'empty'): Promise<void>;
}

export interface RestoreOptions {
  key: RestoreKey;
  marker: RestoreMarker;
  /** Called with the bytes of packs that were restored, and of all that will be. */
  onProgress?: (doneBytes: number, totalBytes: number) => void;
}

/** What was restored. */
export interface RestoreSummary {
  id: string;
  created: string;
  accounts: number;
  deployments: number;
  packs: number;
  packBytes: number;
  /** The number of the newest migration of the backup, and of the restored database. */
  schema: { from: number; to: number };
}

/**
 * Restores a full backup and its increments into an empty installation: all or nothing. The rows become visible in one
 * transaction, after every byte of every file was verified and all packs are durable.
 *
 * A backup of an older Berth is loaded into the schema of that time, which is migrated afterwards.
 *
 * @param sources The full backup, then its increments in order.
 * @throws Error if the files do not belong together, need a newer Berth, or the target is not empty; DamagedBackupError. The
 *   packs that were written are then removed. Source: api §12.
 */
export async function restore(
  target: RestoreTarget,
  sources: readonly BackupSource[],
  options: RestoreOptions,
): Promise<RestoreSummary> {
  const chain = await openChain(sources);
  const { manifest } = chain.at(-1)!;
  const packs = new PackRestorer(target.packs);
  try {
    const isSameKey = options.key.check(manifest.key);
    await requireEmpty(target, manifest.schema, options.marker);
    await options.marker.begin();
    await removePacks(target.packs);
    const summary = await loadOrUndo(target, chain, packs, { ...options, isSameKey });
    await options.marker.end('restored');
    await target.database.migrate();
    return summary;
  } finally {
    for (const { members } of chain) await members.return(undefined);
  }
}

type LoadOptions = RestoreOptions & { isSameKey: boolean };

async function loadOrUndo(
  target: RestoreTarget,
  chain: readonly OpenBackup[],
  packs: PackRestorer,
  options: LoadOptions,
): Promise<RestoreSummary> {
  try {
    await target.database.migrate({ upTo: chain.at(-1)!.manifest.schema });
    return await load(target.database, chain, packs, options);
  } catch (error) {
    // After an error of COMMIT the rows may be visible, so the packs and the marker stay.
    if (!packs.areKept) {
      await packs.removeAll();
      await options.marker.end('empty');
    }
    throw error;
  }
}

/** Removes what an interrupted restore has left. */
async function removePacks(store: PackStore): Promise<void> {
  for await (const id of store.list()) await store.remove(id);
}

/** Loads everything in one transaction. @throws before its commit if anything is damaged or missing. */
async function load(
  database: Database,
  chain: readonly OpenBackup[],
  packs: PackRestorer,
  { key, isSameKey, onProgress = () => {} }: LoadOptions,
): Promise<RestoreSummary> {
  const newest = chain.at(-1)!;
  const { manifest } = newest;
  const session = await database.connect();
  try {
    await prepareCopySession(session);
    await session.query('begin');
    await lockEmptyTables(session, manifest);
    const rows = new RowLoader(session, newest);
    await session.query('create temporary table "stored_pack" (id uuid primary key) on commit drop');
    let secretKey: Buffer | null = null;
    const restorePack = async (member: BackupMember) => {
      await packs.add(session, member);
      onProgress(packs.doneBytes, manifest.packs.bytes);
    };
    // The newest file has the rows, which name the packs that are needed from all files.
    let pending: BackupMember | null = null;
    for await (const member of inOrder(newest)) {
      if (member.name.startsWith('packs/')) {
        pending = member;
        break;
      }
      if (member.name === KEY_MEMBER) secretKey = Buffer.from(member.bytes.toString().trim(), 'hex');
      else await rows.load(member);
    }
    const summary = await rows.finish();
    failpoint('restore.rows-loaded');
    for (const earlier of chain.slice(0, -1))
      for await (const member of inOrder(earlier)) if (member.name.startsWith('packs/')) await restorePack(member);
    if (pending) await restorePack(pending);
    for await (const member of inOrder(newest)) await restorePack(member);
    await packs.finish(session);
    await requireAllPacks(session, chain);
    if (!isSameKey) await session.query('delete from idempotency_record');
    await rows.enableTriggers();
    if (secretKey) await key.store(secretKey);
    failpoint('restore.committing');
    packs.keep();
    await session.query('commit');
    failpoint('restore.committed');
    await session.query('analyze');
    const { id, created, schema } = manifest;
    const to = Math.max(schema, NEWEST_SCHEMA);
    return { id, created, ...summary, packs: packs.count, packBytes: packs.doneBytes, schema: { from: schema, to } };
  } finally {
    await session.end();
  }
}

/** Continues with the members of a backup, without ending its generator when the loop ends. */
function inOrder({ members }: OpenBackup): AsyncIterable<BackupMember> {
  return { [Symbol.asyncIterator]: () => ({ next: () => members.next() }) };
}

/** @throws Error that names what the installation contains. */
async function requireEmpty(
  { database, packs }: RestoreTarget,
  schema: number,
  { wasInterrupted }: RestoreMarker,
): Promise<void> {
  const session = await database.connect();
  try {
    const present = await describeRows(session);
    for await (const id of packs.list()) {
      if (wasInterrupted) break;
      present.push(`the pack ${id}`);
      break;
    }
    if (present.length > 0)
      throw new Error(
        `The installation is not empty: it contains ${present.join(', ')}. Restore into an empty database and an empty DATA_DIR or bucket.`,
      );
    const installed = await readSchemaNumber(session);
    if (installed > schema)
      throw new Error(
        `The database has the tables of schema ${installed}, without rows, and the backup has schema ${schema}. Restore into a database without tables.`,
      );
  } finally {
    await session.end();
  }
}

/** Tables whose rows are only mentioned if there are no others. */
const DETAILS = new Set(['boot', 'issued_id', 'manifest', 'deployment_pack', 'content', 'compression']);

/** Describes the rows of the tables that a backup contains, such as `2 rows in "account"`. */
async function describeRows(session: Client): Promise<string[]> {
  const columns = await readColumns(session);
  const counts = new Map<string, string>();
  for (const { name } of BACKUP_TABLES.filter((table) => columns.has(table.name))) {
    const { rows } = await session.query<{ count: number }>(`select count(*)::int as count from ${quoteName(name)}`);
    const { count } = rows[0]!;
    if (count > 0) counts.set(name, `${count} ${count === 1 ? 'row' : 'rows'} in "${name}"`);
  }
  const main = [...counts].filter(([name]) => !DETAILS.has(name));
  return (main.length > 0 ? main : [...counts]).map(([, text]) => text);
}

/** Keeps servers from writing rows during the restore: a server that starts now fails. */
async function lockEmptyTables(session: Client, { tables }: Manifest): Promise<void> {
  const names = tables.map(({ name }) => quoteName(name)).join(', ');
  await session.query(`lock table ${names} in exclusive mode`);
  const present = await describeRows(session);
  if (present.length > 0)
    throw new Error(`A server has started during the restore: there are ${present.join(', ')}. Stop it and try again.`);
}

async function requireAllPacks(session: Client, chain: readonly OpenBackup[]): Promise<void> {
  const { rows } = await session.query<{ id: string }>(
    'select id from pack where not exists (select from stored_pack s where s.id = pack.id) order by id',
  );
  if (rows.length === 0) return;
  const labels = chain.map(({ label }) => label).join(', ');
  throw new Error(
    `${rows.length} packs, such as ${rows[0]!.id}, are missing in ${labels}. Restore with all files of the chain.`,
  );
}

/** Whether the database has accounts. Also answers for a database without tables. */
export async function hasAccounts(database: Database): Promise<boolean> {
  const session = await database.connect();
  try {
    if (!(await readColumns(session)).has('account')) return false;
    const { rows } = await session.query<{ present: boolean }>('select exists (select from account) as present');
    return rows[0]!.present;
  } finally {
    await session.end();
  }
}
