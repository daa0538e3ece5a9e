import type { EntityManager } from '@mikro-orm/postgresql';
import { CompiledQuery, sql } from 'kysely';
import { CopyData } from '../../database/copy.ts';
import { db } from '../../database/tables.ts';
import { unavailable } from '../../errors.ts';
import { ENTRY_BYTES, ENTRY_LENGTH_AT, ENTRY_OFFSET_AT } from '../../storage/pack-index.ts';
import { sortByKey } from '../sort-by-key.ts';
import { HASH_BYTES, hashAtPosition, isOneOf, type NewPack, numberArray, packHashes } from './contents.ts';

const UNIQUE_VIOLATION = '23505';
/** Up to this number of contents, one statement with a conflict check is faster than the four round trips of a COPY in a savepoint. */
const FEW_CONTENTS = 500;

const COPY_CONTENTS = 'copy content (hash, pack_id, "offset", length) from stdin (format binary)';
const COPY_HEADER = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1');
const COPY_END = Buffer.of(0xff, 0xff);
const PACK_BYTES = 16;
const NUMBER_BYTES = 8;
/** The sizes of the columns. In a row, each column follows its size. */
const COLUMN_BYTES = [HASH_BYTES, PACK_BYTES, NUMBER_BYTES, NUMBER_BYTES];
const HASH_AT = 6;
const PACK_AT = HASH_AT + HASH_BYTES + 4;
const OFFSET_AT = PACK_AT + PACK_BYTES + 4;
const LENGTH_AT = OFFSET_AT + NUMBER_BYTES + 4;
const ROW_BYTES = LENGTH_AT + NUMBER_BYTES;
/** The number of rows that are encoded at once. */
const CHUNK_ROWS = 2_000;

/**
 * Assigns every content of a deployment to a pack, in the deploy's transaction and under the fence: new contents to the
 * new pack, stored contents to the packs that have them. If concurrent deploys send the same content, the deploy that
 * commits first stores it.
 *
 * @param hashes The distinct contents of the deployment, by SHA-256 in hex.
 * @param pack The new pack; `null` if no new content arrived.
 * @param meanwhile Called while PostgreSQL inserts the new contents, if there are many. Default: nothing.
 * @returns The packs that the deployment needs, and the contents that were stored for the first time.
 * @throws `unavailable` if a stored content has been swept in the meantime. Source: storage P4.
 */
export async function assignToPacks(
  em: EntityManager,
  hashes: ReadonlySet<string>,
  pack: NewPack | null,
  meanwhile: () => Promise<unknown> = async () => {},
): Promise<{ packs: string[]; fresh: ReadonlySet<string> }> {
  const packs = new Set<string>();
  let freshContents: ReadonlySet<string> = new Set();
  if (pack && (await insertAll(em, pack, meanwhile))) {
    packs.add(pack.id);
    // The pack has only contents of the deployment.
    freshContents = pack.contents.length === hashes.size ? hashes : new Set(pack.contents.map((c) => c.sha256));
  }
  const storedHashes = freshContents === hashes ? [] : [...hashes].filter((hash) => !freshContents.has(hash));
  if (storedHashes.length > 0) {
    const rows = await db(em)
      .selectFrom('content')
      .select(({ fn }) => ['pack_id as pack', fn.countAll<number>().as('contents')])
      .where(isOneOf(storedHashes))
      .groupBy('pack_id')
      .execute();
    const foundCount = rows.reduce((sum, row) => sum + row.contents, 0);
    if (foundCount !== storedHashes.length)
      throw unavailable('Some files were removed from the store in the meantime; send the deploy again.', undefined, 1);
    for (const row of rows) packs.add(row.pack);
  }
  return { packs: [...packs], fresh: freshContents };
}

/**
 * Inserts contents that are probably new. Returns true if every content was new. PostgreSQL inserts many contents faster without a
 * conflict check, so they are checked only after a conflict.
 *
 * @param meanwhile Called while PostgreSQL inserts many contents.
 */
async function insertAll(em: EntityManager, pack: NewPack, meanwhile: () => Promise<unknown>): Promise<boolean> {
  const { contents } = pack;
  if (contents.length <= FEW_CONTENTS) return (await insertMissing(em, pack)) === contents.length;
  await sql`savepoint fresh`.execute(db(em));
  try {
    await db(em).executeQuery(CompiledQuery.raw(COPY_CONTENTS, [new CopyData(encodeRows(pack), meanwhile)]));
    await sql`release savepoint fresh`.execute(db(em));
    return true;
  } catch (error) {
    if ((error as { code?: string }).code !== UNIQUE_VIOLATION) throw error;
    await sql`rollback to savepoint fresh`.execute(db(em));
    return (await insertMissing(em, pack)) === contents.length;
  }
}

/**
 * Encodes the rows of contents for COPY, in the order of their hashes: such rows are inserted faster, and cannot make two deploys
 * wait for each other.
 */
function* encodeRows({ id, contents, index }: NewPack): Generator<Buffer> {
  const row = Buffer.alloc(ROW_BYTES);
  row.writeInt16BE(COLUMN_BYTES.length);
  let at = 2;
  for (const bytes of COLUMN_BYTES) at = row.writeInt32BE(bytes, at) + bytes;
  row.write(id.replaceAll('-', ''), PACK_AT, 'hex');
  yield COPY_HEADER;
  const order = sortByKey(keysOf(index, contents.length));
  for (let from = 0; from < order.length; from += CHUNK_ROWS) {
    const positions = order.subarray(from, from + CHUNK_ROWS);
    const rows = Buffer.alloc(positions.length * ROW_BYTES, row);
    for (let i = 0; i < positions.length; i += 1) {
      const [rowAt, entryAt] = [i * ROW_BYTES, positions[i]! * ENTRY_BYTES];
      copyBytes(index, entryAt, rows, rowAt + HASH_AT, HASH_BYTES);
      copyBytes(index, entryAt + ENTRY_OFFSET_AT, rows, rowAt + OFFSET_AT, NUMBER_BYTES);
      copyBytes(index, entryAt + ENTRY_LENGTH_AT, rows, rowAt + LENGTH_AT, NUMBER_BYTES);
    }
    yield rows;
  }
  yield COPY_END;
}

/** Copies few bytes, for which a call of Node takes longer. */
function copyBytes(from: Buffer, fromAt: number, to: Buffer, toAt: number, count: number): void {
  for (let i = 0; i < count; i += 1) to[toAt + i] = from[fromAt + i]!;
}

/** Returns the first 8 bytes of each hash in an index. */
function keysOf(index: Buffer, count: number): Uint32Array {
  const keys = new Uint32Array(count * 2);
  for (let i = 0; i < count; i += 1) {
    keys[i * 2] = index.readUInt32BE(i * ENTRY_BYTES);
    keys[i * 2 + 1] = index.readUInt32BE(i * ENTRY_BYTES + 4);
  }
  return keys;
}

async function insertMissing(em: EntityManager, { id, contents }: NewPack): Promise<number> {
  const { numAffectedRows } = await sql`
    insert into content (hash, pack_id, "offset", length)
    select ${hashAtPosition(packHashes(contents.map((c) => c.sha256)), 'position')}, ${id}, "offset", length
    from unnest(${numberArray(contents.map((c) => c.offset))}::bigint[], ${numberArray(contents.map((c) => c.length))}::bigint[]) with ordinality as f ("offset", length, position)
    order by 1 on conflict do nothing`.execute(db(em));
  return Number(numAffectedRows);
}
