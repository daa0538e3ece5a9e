import type { EntityManager } from '@mikro-orm/postgresql';
import { type RawBuilder, sql } from 'kysely';
import type { Core } from '../../core.ts';
import { db } from '../../database/tables.ts';
import { hashArray, splitNumbers, unpackHashes } from './contents.ts';

const MAX_RECENT_DEPLOYMENTS = 10;
/** The maximum number of contents for which the database searches, to return only rows that may have one of them. */
const MAX_SEARCHED_IN_DATABASE = 32;

/** Contents of a deployment or an upload: their hashes packed, their lengths as a text with commas, and their packs. */
interface ContentList {
  hashes: Buffer;
  lengths: string;
  packs: string[];
}

/**
 * Finds which contents an account already has: in its newest deployments, and among the contents that its open uploads
 * have received. Deployments that were taken down are not searched. The contents of other accounts affect neither the
 * result nor the time that the search takes.
 *
 * The caller must hold the fence, so that the packs exist until the transaction ends.
 *
 * @param hashes SHA-256 in hex.
 * @returns The lengths of the found contents, and their packs. Source: api §9; security T22; storage P10.
 */
export async function findOwnContents(em: EntityManager, core: Core, account: string, hashes: ReadonlySet<string>) {
  const wantedHashes = new Set(hashes);
  const lengths = new Map<string, number>();
  const packs = new Set<string>();
  const searchIn = async (lists: RawBuilder<ContentList>) => {
    if (wantedHashes.size === 0) return;
    const { rows } = await lists.execute(db(em));
    for (const row of rows)
      if (moveFoundContents(row, wantedHashes, lengths)) for (const pack of row.packs) packs.add(pack);
  };
  // The newest deployment usually has most of the contents, so few of them are searched for in older deployments.
  if (wantedHashes.size > MAX_SEARCHED_IN_DATABASE) await searchIn(deploymentsWith(core, account, 1, wantedHashes));
  await searchIn(uploadsWith(core, account, wantedHashes));
  await searchIn(deploymentsWith(core, account, MAX_RECENT_DEPLOYMENTS, wantedHashes));
  return { lengths, packs };
}

function moveFoundContents(list: ContentList, missing: Set<string>, found: Map<string, number>): boolean {
  const foundBefore = found.size;
  let lengths: number[] | null = null;
  for (const [i, sha256] of unpackHashes(list.hashes).entries())
    if (missing.delete(sha256)) found.set(sha256, (lengths ??= splitNumbers(list.lengths))[i]!);
  return found.size > foundBefore;
}

const deploymentsWith = (core: Core, account: string, maxDeployments: number, wanted: ReadonlySet<string>) =>
  sql<ContentList>`
    select m.hashes, array_to_string(m.sizes, ',') as lengths,
      array(select pack_id::text from deployment_pack n where n.deployment_id = d.id) as packs
    from (
      select id from deployment
      where account_id = ${account} and status = 'success' and taken_down is null
        and (expires is null or expires > ${core.now()})
      order by created desc, id desc limit ${maxDeployments}) d
    join manifest m on m.deployment_id = d.id where ${mayHold(sql.ref('m.hashes'), wanted)}`;

const uploadsWith = (core: Core, account: string, wanted: ReadonlySet<string>) =>
  sql<ContentList>`
    select c.hashes, array_to_string(c.lengths, ',') as lengths,
      array(select pack_id::text from upload_pack n where n.upload_hash = u.hash) as packs
    from (
      select hash from upload where account_id = ${account} and committed is null and expires > ${core.now()}
      order by created desc, hash limit ${MAX_RECENT_DEPLOYMENTS}) u
    join upload_content c on c.upload_hash = u.hash where ${mayHold(sql.ref('c.hashes'), wanted)}`;

/** SQL that filters out rows without any of the contents. A match that spans two hashes selects one row too many. */
function mayHold(packed: RawBuilder<unknown>, wanted: ReadonlySet<string>): RawBuilder<unknown> {
  if (wanted.size > MAX_SEARCHED_IN_DATABASE) return sql`true`;
  return sql`exists (
    select 1 from unnest(${hashArray([...wanted])}) as w (hash) where position(w.hash in ${packed}) > 0)`;
}
