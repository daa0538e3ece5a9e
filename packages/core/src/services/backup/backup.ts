import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { zstdCompress } from 'node:zlib';
import type { Client } from 'pg';
import type { Core } from '../../core.ts';
import { copyOut, prepareCopySession } from '../../database/copy.ts';
import { failpoint } from '../../failpoints.ts';
import { MAX_MEMBER_BYTES, partName } from '../../storage/backup-file.ts';
import { BackupWriter, type ByteSink, inParts } from '../../storage/backup-writer.ts';
import { holdPacks, releasePacks } from '../packs/hold.ts';
import type { EarlierBackup } from './earlier-backup.ts';
import { FORMAT_VERSION, KEY_MEMBER, type Manifest, MANIFEST_MEMBER } from './manifest.ts';
import { copyStatement, readSequences, readTables, requireKnownSchema } from './tables.ts';

export interface BackupOptions {
  /** The version of Berth. */
  berth: string;
  /** `SECRET_KEY`, to include it; `null` to leave it out. */
  secretKey: Buffer | null;
  keyFingerprint: string;
  /** The backup that this one continues. Its packs are left out. Default: none. */
  since?: EarlierBackup;
  /** Called with the bytes of packs that were written, and of all that will be. */
  onProgress?: (doneBytes: number, totalBytes: number) => void;
}

/** What a backup contains. Sizes are in bytes. */
export interface BackupSummary {
  id: string;
  created: Date;
  since: string | null;
  deployments: number;
  accounts: number;
  /** The packs in this file. */
  packs: number;
  packBytes: number;
  /** The packs that are in earlier backups of the chain. */
  earlierPacks: number;
  /** The compressed size of the rows. */
  rowBytes: number;
  bytes: number;
}

const FETCHED_PACKS = 500;
/** The maximum number of packs that are read at the same time. */
const MAX_GROUP = 64;
const compress = promisify(zstdCompress);

interface PackRow {
  id: string;
  size: number;
}

/**
 * Writes a backup of the installation: all rows of one snapshot, and the packs that they refer to. Servers can deploy, delete
 * and sweep meanwhile; only the removal of unused packs waits until the backup has ended. Memory use does not depend on how
 * much is stored.
 *
 * @param sink Receives the backup. It is complete only when the promise resolves.
 * @throws Error if the database ends the session, or a pack cannot be read. Source: api §12; storage W6.
 */
export async function backup(core: Core, sink: ByteSink, options: BackupOptions): Promise<BackupSummary> {
  const session = await core.database.connect();
  try {
    await prepareCopySession(session);
    await holdPacks(session);
    await session.query('begin isolation level repeatable read read only');
    const manifest = await describe(core, session, options);
    const writer = new BackupWriter(sink, new Date(manifest.created));
    await writer.add(MANIFEST_MEMBER, Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`));
    if (options.secretKey) await writer.add(KEY_MEMBER, Buffer.from(`${options.secretKey.toString('hex')}\n`));
    const counts = await readCounts(session);
    const rowBytes = await writeRows(session, writer, manifest);
    failpoint('backup.rows-written');
    // The cursor outlives the transaction, which would otherwise keep deleted rows from being vacuumed.
    await session.query(
      `declare packs cursor with hold for select id::text, size::float8 from pack where state = 'sealed' order by id`,
    );
    await session.query('commit');
    const packs = await writePacks(core, session, writer, manifest, options);
    await releasePacks(session);
    await writer.end();
    const { id, created, since } = manifest;
    return { id, created: new Date(created), since, ...counts, ...packs, rowBytes, bytes: writer.bytes };
  } finally {
    await session.end();
  }
}

async function describe(core: Core, session: Client, options: BackupOptions): Promise<Manifest> {
  const schema = await requireKnownSchema(session);
  const tables = await readTables(session);
  const { rows } = await session.query<{ count: number; bytes: number }>(
    `select count(*)::int as count, coalesce(sum(size), 0)::float8 as bytes from pack where state = 'sealed'`,
  );
  return {
    format: 'berth-backup',
    version: FORMAT_VERSION,
    kind: 'installation',
    id: randomUUID(),
    since: options.since?.id ?? null,
    created: core.now().toISOString(),
    berth: options.berth,
    schema,
    key: { fingerprint: options.keyFingerprint, included: options.secretKey !== null },
    tables,
    sequences: await readSequences(session, tables),
    packs: rows[0]!,
    account: null,
  };
}

async function readCounts(session: Client): Promise<Pick<BackupSummary, 'accounts' | 'deployments'>> {
  const { rows } = await session.query<{ accounts: number; deployments: number }>(`
    select (select count(*)::int from account) as accounts,
      (select count(*)::int from deployment where status = 'success') as deployments`);
  return rows[0]!;
}

/** @returns The number of compressed bytes. */
async function writeRows(session: Client, writer: BackupWriter, { tables }: Manifest): Promise<number> {
  let rowBytes = 0;
  for (const table of tables) rowBytes += await writeTable(session, writer, table.name, copyStatement(table));
  return rowBytes;
}

/** Writes the rows of a table in compressed parts. @returns The number of compressed bytes. */
export async function writeTable(
  session: Client,
  writer: BackupWriter,
  table: string,
  statement: string,
): Promise<number> {
  let rowBytes = 0;
  let part = 0;
  for await (const text of inParts(copyOut(session, statement))) {
    const compressed = await compress(text);
    rowBytes += compressed.length;
    await writer.add(`${partName(`rows/${table}`, (part += 1))}.copy.zst`, compressed);
  }
  return rowBytes;
}

async function writePacks(
  core: Core,
  session: Client,
  writer: BackupWriter,
  { packs: total }: Manifest,
  { since, onProgress = () => {} }: BackupOptions,
): Promise<Pick<BackupSummary, 'packs' | 'packBytes' | 'earlierPacks'>> {
  const summary = { packs: 0, packBytes: 0, earlierPacks: 0 };
  let doneBytes = 0;
  for await (const group of inGroups(listPacks(session))) {
    const included: PackRow[] = [];
    for (const pack of group) if (!(await since?.hasPack(pack.id))) included.push(pack);
    await writeGroup(core, writer, included);
    for (const { size } of included) summary.packBytes += size;
    summary.packs += included.length;
    summary.earlierPacks += group.length - included.length;
    for (const { size } of group) doneBytes += size;
    onProgress(doneBytes, total.bytes);
    failpoint('backup.pack-written');
  }
  return summary;
}

/** Collects small packs, which are read at the same time. A large pack is a group of its own. */
async function* inGroups(packs: AsyncIterable<PackRow>): AsyncGenerator<PackRow[]> {
  let group: PackRow[] = [];
  let groupBytes = 0;
  for await (const pack of packs) {
    if (group.length > 0 && (groupBytes + pack.size > MAX_MEMBER_BYTES || group.length === MAX_GROUP)) {
      yield group;
      group = [];
      groupBytes = 0;
    }
    group.push(pack);
    groupBytes += pack.size;
  }
  if (group.length > 0) yield group;
}

async function writeGroup(core: Core, writer: BackupWriter, packs: readonly PackRow[]): Promise<void> {
  if (packs.length === 1) return writePack(core, writer, packs[0]!);
  const contents = await Promise.all(packs.map((pack) => namePack(pack, core.packs.scan().read(locationOf(pack)))));
  for (const [i, { id }] of packs.entries()) await writer.add(partName(`packs/${id}`, 1), contents[i]!);
}

async function* listPacks(session: Client): AsyncGenerator<PackRow> {
  for (;;) {
    const { rows } = await session.query<PackRow>(`fetch ${FETCHED_PACKS} from packs`);
    yield* rows;
    if (rows.length < FETCHED_PACKS) return;
  }
}

async function writePack(core: Core, writer: BackupWriter, pack: PackRow): Promise<void> {
  let part = 0;
  const parts = inParts(core.packs.scan().stream(locationOf(pack)));
  for (;;) {
    const { value, done } = await namePack(pack, parts.next());
    if (done) return;
    await writer.add(partName(`packs/${pack.id}`, (part += 1)), value);
  }
}

const locationOf = ({ id, size }: PackRow) => ({ pack: id, offset: 0, length: size });

/** Adds the id of a pack, and advice, to an error while it is read. */
async function namePack<T>({ id }: PackRow, reading: Promise<T>): Promise<T> {
  try {
    return await reading;
  } catch (error) {
    throw new Error(`Pack ${id} cannot be read: ${(error as Error).message}. "doctor" shows which sites need it.`, {
      cause: error,
    });
  }
}
