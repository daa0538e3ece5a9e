import type { Client } from 'pg';
import { quoteName } from '../../database/copy.ts';
import { migrations } from '../../database/migrations/index.ts';

/** Which rows of a table a backup contains. */
interface BackupTable {
  name: string;
  /** The condition for the rows, and their order. Default: all rows in any order. */
  rows?: string;
}

/**
 * The tables of a backup, each after the tables that it refers to. `boot` and `pack` are first, so that an increment reads
 * only the beginning of the backup that it continues. Open and dead packs are left out: no row refers to them.
 */
export const BACKUP_TABLES: readonly BackupTable[] = [
  { name: 'boot', rows: `where id in (select boot_id from pack where state = 'sealed')` },
  { name: 'pack', rows: `where state = 'sealed' order by id` },
  { name: 'account' },
  { name: 'person' },
  { name: 'passkey' },
  { name: 'identity' },
  { name: 'member' },
  { name: 'token' },
  { name: 'plan_change' },
  { name: 'issued_id' },
  { name: 'deployment' },
  { name: 'manifest' },
  { name: 'front_page' },
  { name: 'deployment_pack' },
  { name: 'content' },
  { name: 'compression' },
  { name: 'domain' },
  { name: 'domain_version' },
  { name: 'activity' },
  { name: 'idempotency_record' },
  { name: 'upload' },
  { name: 'upload_content' },
  { name: 'upload_pack' },
];

/** The tables that a backup leaves out, and why. */
export const LEFT_OUT_TABLES: Readonly<Record<string, string>> = {
  migration: 'The restore runs the migrations, which record themselves.',
  session: 'A restore signs everybody out, also sessions that were ended after the backup.',
  proof: 'One-time links and codes live for minutes. A restore must not make one that was used valid again.',
  invite: 'A restore must not make an invitation that was accepted or revoked valid again.',
  device_grant: 'It lives for minutes, and a restore must not make one that was used valid again.',
  pack_suspect: 'The sweep finds unreferenced packs again. Their grace time starts when it does.',
  compaction_candidate: 'The sweep finds packs that are mostly unneeded again.',
  change: 'The processes of the installation that was saved read it, not those of the restored one.',
  change_epoch: 'The numbers of transactions of the restored installation are its own.',
  pack_store_id: 'A restored installation has a store of its own.',
  lease: 'The processes of the installation that was saved do not run the jobs of the restored one.',
  rate_bucket: 'The levels of rate limits are outdated after seconds, and the table is not durable either.',
};

/** A table as the manifest of a backup describes it. */
export interface TableColumns {
  name: string;
  columns: string[];
}

/** The position of the sequence of a column, so that numbers that were used are never used again. */
export interface SequencePosition {
  table: string;
  column: string;
  value: number;
}

/** Reads the columns of the tables of a backup that the database has, in the order of a backup. */
export async function readTables(session: Client): Promise<TableColumns[]> {
  const columns = await readColumns(session);
  return BACKUP_TABLES.flatMap(({ name }) => (columns.has(name) ? [{ name, columns: columns.get(name)! }] : []));
}

/**
 * Reads the number of the newest migration of the database.
 *
 * @returns 0 for a database without the tables of Berth.
 */
export async function readSchemaNumber(session: Client): Promise<number> {
  const { rows: tables } = await session.query<{ name: string | null }>(
    `select to_regclass('migration')::text as name`,
  );
  if (tables[0]!.name === null) return 0;
  const { rows } = await session.query<{ number: number | null }>(
    `select max(left(name, 4)::int) as number from migration`,
  );
  return rows[0]!.number ?? 0;
}

/** The number of the newest migration that this program knows. */
export const NEWEST_SCHEMA = Math.max(...migrations.map(({ name }) => Number(name.slice(-4))));

/** Reads the columns of all tables in the schema of Berth, by table. */
export async function readColumns(session: Client): Promise<Map<string, string[]>> {
  const { rows } = await session.query<TableColumns>(`
    select c.relname as name, array_agg(a.attname::text order by a.attnum) as columns
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
    where c.relkind in ('r', 'p') and c.relnamespace = current_schema()::regnamespace group by 1 order by 1`);
  return new Map(rows.map(({ name, columns }) => [name, columns]));
}

/** Reads the number of the newest migration. @throws Error if this program does not know it, because it may add tables. */
export async function requireKnownSchema(session: Client): Promise<number> {
  const schema = await readSchemaNumber(session);
  if (schema <= NEWEST_SCHEMA) return schema;
  throw new Error(
    `The database has schema ${schema}, and this Berth knows schema ${NEWEST_SCHEMA}. Use the newest Berth that uses this database.`,
  );
}

/** Reads the positions of the sequences of the tables. */
export async function readSequences(session: Client, tables: readonly TableColumns[]): Promise<SequencePosition[]> {
  const { rows } = await session.query<SequencePosition>(
    `
    with owned as materialized (
      select c.relname as table, a.attname as column, q.oid as sequence
      from pg_depend s
      join pg_class c on c.oid = s.refobjid and c.relnamespace = current_schema()::regnamespace and c.relname = any($1)
      join pg_attribute a on a.attrelid = c.oid and a.attnum = s.refobjsubid
      join pg_class q on q.oid = s.objid and q.relkind = 'S'
      where s.deptype in ('a', 'i')),
    position as materialized (select "table", "column", pg_sequence_last_value(sequence)::float8 as value from owned)
    select * from position where value is not null order by "table", "column"`,
    [tables.map(({ name }) => name)],
  );
  return rows;
}

/** Returns the quoted columns of a table, for COPY. */
export function columnList({ columns }: TableColumns): string {
  return columns.map(quoteName).join(', ');
}

/** Returns the statement that copies the rows of a table to the backup. */
export function copyStatement(table: TableColumns): string {
  const { rows = '' } = BACKUP_TABLES.find(({ name }) => name === table.name)!;
  return `copy (select ${columnList(table)} from ${quoteName(table.name)} ${rows}) to stdout`;
}
