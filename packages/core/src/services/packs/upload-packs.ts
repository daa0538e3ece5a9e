import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { db } from '../../database/tables.ts';
import { unpackHashes } from './contents.ts';
import { readByIndex } from './read-by-index.ts';

/** The number of contents of a pack that are read to find out whether it is needed. */
const SAMPLE_CONTENTS = 32;

/**
 * Finds which of the packs that an upload keeps are needed for its contents. An upload keeps the packs of all its contents, and
 * those of contents that its base has and the new deployment has not. So a few contents of each pack are read instead of the
 * location of every content. The caller must hold the fence, and the upload must be complete.
 *
 * @param files The files of the upload.
 * @returns The packs; `null` if the contents that were read do not decide about one of them. Source: storage P4, P10.
 */
export async function findPacksOfUpload(
  em: EntityManager,
  upload: Buffer,
  files: readonly { sha256: string }[],
): Promise<string[] | null> {
  await readByIndex(em);
  const { rows } = await sql<{ pack: string; sample: Buffer | null }>`
    select n.pack_id as pack, s.hashes as sample
    from upload_pack n
    cross join lateral (
      select string_agg(c.hash, '') as hashes
      from (select hash from content where pack_id = n.pack_id limit ${SAMPLE_CONTENTS}) c) s
    where n.upload_hash = ${upload}`.execute(db(em));
  const samples = rows.map(({ pack, sample }) => ({ pack, hashes: unpackHashes(sample ?? Buffer.of()) }));
  const packOfSample = new Map(samples.flatMap(({ pack, hashes }) => hashes.map((sha256) => [sha256, pack] as const)));
  const neededPacks = new Set<string>();
  for (const { sha256 } of files) {
    const pack = packOfSample.get(sha256);
    if (pack !== undefined) neededPacks.add(pack);
  }
  const isUndecided = samples.some(({ pack, hashes }) => !neededPacks.has(pack) && hashes.length === SAMPLE_CONTENTS);
  return isUndecided ? null : [...neededPacks];
}
