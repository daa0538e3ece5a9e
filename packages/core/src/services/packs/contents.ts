import type { UploadFile } from '@berth/contract';
import type { EntityManager } from '@mikro-orm/postgresql';
import { type Expression, expressionBuilder, type RawBuilder, sql } from 'kysely';
import type { Core } from '../../core.ts';
import { db } from '../../database/tables.ts';
import { unavailable } from '../../errors.ts';
import type { IndexEntry } from '../../storage/pack-index.ts';

/** A pack that is being made durable, and its contents. */
export interface NewPack {
  id: string;
  contents: readonly IndexEntry[];
  /** Resolves when the pack is durable; rejects if it cannot be written. */
  sealed: Promise<{ sizeBytes: number }>;
}

/** Contents and their lengths in bytes, by SHA-256 in hex. */
export type ContentLengths = ReadonlyMap<string, number>;

const HASH_BYTES = 32;
const UNIQUE_VIOLATION = '23505';

/** Concatenates hashes into one parameter: PostgreSQL splits 10,000 of them faster than it reads an array. */
export function packHashes(hashes: readonly string[]): Buffer {
  return Buffer.from(hashes.join(''), 'hex');
}

/** Splits concatenated hashes, in hex. */
export function unpackHashes(packed: Uint8Array): string[] {
  const hex = Buffer.from(packed.buffer, packed.byteOffset, packed.length).toString('hex');
  return Array.from({ length: packed.length / HASH_BYTES }, (_, i) =>
    hex.slice(i * HASH_BYTES * 2, (i + 1) * HASH_BYTES * 2),
  );
}

/** Formats hashes as the text of a `bytea[]`. Nothing in it needs escaping. */
export function byteaArray(hashes: readonly string[]): string {
  return `{${hashes.map((hash) => `"\\\\x${hash}"`).join(',')}}`;
}

/** Formats numbers as the text of a `bigint[]`. The driver, which escapes each of them, takes ten times as long. */
export function numberArray(numbers: readonly number[]): string {
  return `{${numbers.join(',')}}`;
}

/** Parses a `bigint[]` that {@link joined} read. */
export function splitNumbers(text: string): number[] {
  return text === '' ? [] : text.split(',').map(Number);
}

/** Pairs packed hashes with their lengths, as {@link joined} reads them. */
export function lengthsOf(hashes: Uint8Array, lengths: string): Map<string, number> {
  const numbers = splitNumbers(lengths);
  return new Map(unpackHashes(hashes).map((sha256, i) => [sha256, numbers[i]!]));
}

/** The files of a manifest or an upload. @param list.sizes The sizes in bytes, in the form that {@link joined} selects. */
export function filesOf(list: { paths: readonly string[]; hashes: Uint8Array; sizes: string }): UploadFile[] {
  const sha256s = unpackHashes(list.hashes);
  const sizes = splitNumbers(list.sizes);
  return list.paths.map((path, i) => ({ path, sha256: sha256s[i]!, size: sizes[i]! }));
}

/** SQL for the hash at a position, counted from 1, in a packed parameter or column. */
export const hashAtPosition = (packed: unknown, position: string) =>
  sql`substring(${packed}::bytea from (${sql.raw(position)}::int - 1) * ${sql.lit(HASH_BYTES)} + 1 for ${sql.lit(HASH_BYTES)})`;

/** SQL for the text of a hash in hex. */
export function hexOf(hash: Expression<Uint8Array>) {
  const { fn, val } = expressionBuilder();
  return fn<string>('encode', [hash, val('hex')]);
}

/** SQL for a `bigint[]` as a text with commas, which is faster than the driver's array parser. */
export function joined(numbers: Expression<number[]>) {
  const { fn, val } = expressionBuilder();
  return fn<string>('array_to_string', [numbers, val(',')]);
}

/** The condition that a row of `content` has one of these hashes, given in hex. */
export function isOneOf(hashes: readonly string[]): RawBuilder<boolean> {
  return sql<boolean>`hash = any(${byteaArray(hashes)}::bytea[])`;
}

/** True if any of these contents is stored. The result stays true only under the fence. */
export async function isAnyStored(em: EntityManager, hashes: readonly string[]): Promise<boolean> {
  const row = await db(em).selectFrom('content').select('length').where(isOneOf(hashes)).limit(1).executeTakeFirst();
  return row !== undefined;
}

const MAX_HASHES_PER_QUERY = 2000;

/**
 * Finds which contents are stored while more are still arriving. Queries the database in batches. The result stays true
 * only under the fence.
 */
export class StoredContentsQuery {
  readonly #core: Core;
  readonly #answers: Promise<{ sha256: string }[]>[] = [];
  #pending: string[] = [];

  constructor(core: Core) {
    this.#core = core;
  }

  /** Adds a content, by SHA-256 in hex. */
  add(sha256: string): void {
    if (this.#pending.push(sha256) === MAX_HASHES_PER_QUERY) this.#ask();
  }

  /** Returns the added contents that are stored. @throws the errors of the database. */
  async result(): Promise<Set<string>> {
    if (this.#pending.length > 0) this.#ask();
    return new Set((await Promise.all(this.#answers)).flat().map(({ sha256 }) => sha256));
  }

  #ask(): void {
    const stored = db(this.#core).selectFrom('content').where(isOneOf(this.#pending));
    const answer = stored.select(({ ref }) => hexOf(ref('hash')).as('sha256')).execute();
    answer.catch(() => {}); // The error reaches the caller of `result`.
    this.#answers.push(answer);
    this.#pending = [];
  }
}

/**
 * Inserts rows that are probably new. PostgreSQL inserts faster without a conflict check, so `on conflict` is used only
 * after a conflict.
 *
 * @returns True if every row was new.
 */
async function insertAll(em: EntityManager, rows: RawBuilder<unknown>, count: number): Promise<boolean> {
  await sql`savepoint fresh`.execute(db(em));
  try {
    await rows.execute(db(em));
    await sql`release savepoint fresh`.execute(db(em));
    return true;
  } catch (error) {
    if ((error as { code?: string }).code !== UNIQUE_VIOLATION) throw error;
    await sql`rollback to savepoint fresh`.execute(db(em));
    const { numAffectedRows } = await sql`${rows} on conflict do nothing`.execute(db(em));
    return Number(numAffectedRows) === count;
  }
}

/**
 * Assigns every content of a deployment to a pack, in the deploy's transaction and under the fence: new ones to the new
 * pack, the others to the packs that have them. A concurrent deploy that committed the same content first wins.
 *
 * @param hashes All contents of the deployment, SHA-256 in hex, each once.
 * @param pack The new pack; `null` if no new content arrived.
 * @returns The packs that the deployment needs, and the contents that were stored for the first time.
 * @throws `unavailable` if a content that was stored before has been swept since.
 * Source: storage P4.
 */
export async function assignToPacks(
  em: EntityManager,
  hashes: readonly string[],
  pack: NewPack | null,
): Promise<{ packs: string[]; fresh: ReadonlySet<string> }> {
  const packs = new Set<string>();
  let inserted: ReadonlySet<string> = new Set();
  let others = hashes;
  if (pack) {
    const fresh = pack.contents.toSorted((a, b) => (a.sha256 < b.sha256 ? -1 : 1));
    const rows = sql`
      insert into content (hash, pack_id, "offset", length)
      select ${hashAtPosition(packHashes(fresh.map((c) => c.sha256)), 'position')}, ${pack.id}, "offset", length
      from unnest(${numberArray(fresh.map((c) => c.offset))}::bigint[], ${numberArray(fresh.map((c) => c.length))}::bigint[]) with ordinality as f ("offset", length, position)`;
    if (await insertAll(em, rows, fresh.length)) {
      packs.add(pack.id);
      inserted = new Set(fresh.map((c) => c.sha256));
      others = hashes.filter((hash) => !inserted.has(hash));
    }
  }
  if (others.length > 0) {
    const rows = await db(em)
      .selectFrom('content')
      .select(({ fn }) => ['pack_id as pack', fn.countAll<number>().as('contents')])
      .where(isOneOf(others))
      .groupBy('pack_id')
      .execute();
    const found = rows.reduce((sum, row) => sum + row.contents, 0);
    if (found !== others.length)
      throw unavailable('Some of the content was just removed; send the deploy again.', undefined, 1);
    for (const row of rows) packs.add(row.pack);
  }
  return { packs: [...packs], fresh: inserted };
}
