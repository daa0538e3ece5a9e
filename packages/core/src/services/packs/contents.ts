import type { EntityManager } from '@mikro-orm/postgresql';
import { type RawBuilder, sql } from 'kysely';
import type { Core } from '../../core.ts';
import { unavailable } from '../../errors.ts';
import type { IndexEntry } from '../../storage/pack-index.ts';

/** A pack on its way to the disk, and what it holds. */
export interface NewPack {
  id: string;
  contents: readonly IndexEntry[];
  /** Resolves when the pack is durable; rejects when it is lost. */
  sealed: Promise<{ sizeBytes: number }>;
}

/** Contents and their lengths in bytes, by SHA-256 in hex. */
export type ContentLengths = ReadonlyMap<string, number>;

const HASH_BYTES = 32;
const UNIQUE_VIOLATION = '23505';

/** Hashes side by side, as one parameter: PostgreSQL takes 10,000 of them apart faster than it reads an array. */
export function packHashes(hashes: readonly string[]): Buffer {
  return Buffer.from(hashes.join(''), 'hex');
}

/** Takes packed hashes apart, in hex. */
export function unpackHashes(packed: Buffer): string[] {
  const hex = packed.toString('hex');
  return Array.from({ length: packed.length / HASH_BYTES }, (_, i) =>
    hex.slice(i * HASH_BYTES * 2, (i + 1) * HASH_BYTES * 2),
  );
}

/** Hashes as the text of a `bytea[]`; none of it needs escaping. */
export function byteaArray(hashes: readonly string[]): string {
  return `{${hashes.map((hash) => `"\\\\x${hash}"`).join(',')}}`;
}

/** Numbers as the text of a `bigint[]`: the driver, which escapes each, takes ten times as long. */
export function numberArray(numbers: readonly number[]): string {
  return `{${numbers.join(',')}}`;
}

/** The numbers of a `bigint[]` that was read as a text with commas: faster than the driver reads an array. */
export function splitNumbers(text: string): number[] {
  return text === '' ? [] : text.split(',').map(Number);
}

/** The hash of each position, counted from 1, in a packed parameter or column. */
export const hashAt = (packed: unknown, position: string) =>
  sql`substring(${packed}::bytea from (${sql.raw(position)}::int - 1) * ${sql.lit(HASH_BYTES)} + 1 for ${sql.lit(HASH_BYTES)})`;

/**
 * Finds which contents are stored already. An answer of the moment: only under the fence does it stay true.
 *
 * @param hashes SHA-256 in hex.
 */
async function findStored(core: Core, hashes: readonly string[]): Promise<Set<string>> {
  const { rows } = await sql<{ hash: string }>`
    select encode(hash, 'hex') as hash from content where hash = any(${byteaArray(hashes)}::bytea[])`.execute(
    core.database.kysely,
  );
  return new Set(rows.map(({ hash }) => hash));
}

/** Whether any of these contents is stored. */
export async function storedAmong(em: EntityManager, hashes: readonly string[]): Promise<boolean> {
  const { rows } = await sql<{ stored: boolean }>`
    select exists (select 1 from content where hash = any(${byteaArray(hashes)}::bytea[])) as stored`.execute(
    em.getKysely(),
  );
  return rows[0]!.stored;
}

const HASHES_AT_ONCE = 2000;

/** Finds what is stored while more contents are still arriving. */
export interface StoredLookup {
  /** Asks about one more content. */
  add(hash: string): void;
  /** Everything that was asked about and is stored. @throws what the database did. */
  result(): Promise<Set<string>>;
}

/** Starts a lookup of contents, SHA-256 in hex, that asks the database about many at once. */
export function lookUpStored(core: Core): StoredLookup {
  const answers: Promise<Set<string>>[] = [];
  let pending: string[] = [];
  const ask = () => {
    const answer = findStored(core, pending);
    answer.catch(() => {}); // Whoever asks for the result hears of it.
    answers.push(answer);
    pending = [];
  };
  return {
    add(hash) {
      if (pending.push(hash) === HASHES_AT_ONCE) ask();
    },
    async result() {
      if (pending.length > 0) ask();
      const stored = new Set<string>();
      for (const answer of answers) for (const hash of await answer) stored.add(hash);
      return stored;
    },
  };
}

/**
 * Inserts rows that are most likely new. PostgreSQL is faster when it need not look for conflicts first, so that is left for
 * when there are some.
 *
 * @returns Whether every row was new.
 */
async function insertAll(em: EntityManager, rows: RawBuilder<unknown>, count: number): Promise<boolean> {
  const db = em.getKysely();
  await sql`savepoint fresh`.execute(db);
  try {
    await rows.execute(db);
    await sql`release savepoint fresh`.execute(db);
    return true;
  } catch (error) {
    if ((error as { code?: string }).code !== UNIQUE_VIOLATION) throw error;
    await sql`rollback to savepoint fresh`.execute(db);
    const { numAffectedRows } = await sql`${rows} on conflict do nothing`.execute(db);
    return Number(numAffectedRows) === count;
  }
}

/**
 * Gives every content of a deployment a place, in the deploy's transaction and under the fence: unknown ones in the new
 * pack, the others where they are. A twin that committed the same content first wins.
 *
 * @param hashes All contents of the deployment, SHA-256 in hex, each once.
 * @param pack The new pack; `null` when nothing new came.
 * @returns The packs the deployment needs, and the contents that were stored for the first time.
 * @throws `unavailable` when a content that was stored at first has been swept away since.
 * Source: security P4.
 */
export async function placeContents(
  em: EntityManager,
  hashes: readonly string[],
  pack: NewPack | null,
): Promise<{ packs: string[]; fresh: ReadonlySet<string> }> {
  const db = em.getKysely();
  const packs = new Set<string>();
  let inserted: ReadonlySet<string> = new Set();
  let others = hashes;
  if (pack) {
    const fresh = pack.contents.toSorted((a, b) => (a.sha256 < b.sha256 ? -1 : 1));
    const rows = sql`
      insert into content (hash, pack_id, "offset", length)
      select ${hashAt(packHashes(fresh.map((c) => c.sha256)), 'position')}, ${pack.id}, "offset", length
      from unnest(${numberArray(fresh.map((c) => c.offset))}::bigint[], ${numberArray(fresh.map((c) => c.length))}::bigint[]) with ordinality as f ("offset", length, position)`;
    if (await insertAll(em, rows, fresh.length)) {
      packs.add(pack.id);
      inserted = new Set(fresh.map((c) => c.sha256));
      others = hashes.filter((hash) => !inserted.has(hash));
    }
  }
  if (others.length > 0) {
    const { rows } = await sql<{ pack: string; contents: number }>`
      select pack_id as pack, count(*)::int as contents from content where hash = any(${byteaArray(others)}::bytea[]) group by pack_id`.execute(
      db,
    );
    const found = rows.reduce((sum, row) => sum + row.contents, 0);
    if (found !== others.length)
      throw unavailable('Some of the content was being cleaned up; send the deploy again.', undefined, 1);
    for (const row of rows) packs.add(row.pack);
  }
  return { packs: [...packs], fresh: inserted };
}
