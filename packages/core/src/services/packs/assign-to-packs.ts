import type { EntityManager } from '@mikro-orm/postgresql';
import { CompiledQuery, sql } from 'kysely';
import { CopyData } from '../../database/copy.ts';
import { db } from '../../database/tables.ts';
import { unavailable } from '../../errors.ts';
import { contentRows, copyContentsTo } from './content-rows.ts';
import { type ContentLengths, hashAtPosition, isOneOf, type NewPack, numberArray, packHashes } from './contents.ts';

const UNIQUE_VIOLATION = '23505';
/** Up to this number of contents, one statement with a conflict check is faster than the four round trips of a COPY in a savepoint. */
const FEW_CONTENTS = 500;

/**
 * Assigns every content of a deployment to a pack, in the deploy's transaction and under the fence: new contents to the
 * new pack, stored contents to the packs that have them. If concurrent deploys send the same content, the deploy that
 * commits first stores it.
 *
 * @param contentsOf Returns the contents of the deployment. Called after the new contents were inserted.
 * @param pack The new pack; `null` if no new content arrived.
 * @param meanwhile Called while PostgreSQL inserts the new contents, if there are many. Default: nothing.
 * @returns The packs that the deployment needs, and the contents that were stored for the first time.
 * @throws `unavailable` if a stored content has been swept in the meantime. Source: storage P4.
 */
export async function assignToPacks(
  em: EntityManager,
  contentsOf: () => ContentLengths,
  pack: NewPack | null,
  meanwhile: () => Promise<unknown> = async () => {},
): Promise<{ packs: string[]; fresh: ContentLengths }> {
  const packs = new Set<string>();
  let freshContents: ContentLengths = new Map();
  const isInserted = pack !== null && (await insertAll(em, pack, meanwhile));
  const contents = contentsOf();
  if (isInserted) {
    packs.add(pack.id);
    // The pack has only contents of the deployment.
    const hasAll = pack.contents.length === contents.size;
    freshContents = hasAll ? contents : new Map(pack.contents.map(({ sha256, length }) => [sha256, length]));
  }
  if (freshContents.size < contents.size) {
    const storedHashes = [...contents.keys()].filter((hash) => !freshContents.has(hash));
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
    await db(em).executeQuery(
      CompiledQuery.raw(copyContentsTo('content'), [new CopyData(contentRows(pack), meanwhile)]),
    );
    await sql`release savepoint fresh`.execute(db(em));
    return true;
  } catch (error) {
    if ((error as { code?: string }).code !== UNIQUE_VIOLATION) throw error;
    await sql`rollback to savepoint fresh`.execute(db(em));
    return (await insertMissing(em, pack)) === contents.length;
  }
}

async function insertMissing(em: EntityManager, { id, contents }: NewPack): Promise<number> {
  const { numAffectedRows } = await sql`
    insert into content (hash, pack_id, "offset", length)
    select ${hashAtPosition(packHashes(contents.map((c) => c.sha256)), 'position')}, ${id}, "offset", length
    from unnest(${numberArray(contents.map((c) => c.offset))}::bigint[], ${numberArray(contents.map((c) => c.length))}::bigint[]) with ordinality as f ("offset", length, position)
    order by 1 on conflict do nothing`.execute(db(em));
  return Number(numAffectedRows);
}
