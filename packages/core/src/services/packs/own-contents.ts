import type { EntityManager } from '@mikro-orm/postgresql';
import { type RawBuilder, sql } from 'kysely';
import type { Core } from '../../core.ts';
import { db } from '../../database/tables.ts';
import { byteaArray, type ContentLengths, splitNumbers, unpackHashes } from './contents.ts';

/** Contents that an account has, and their packs. */
export interface OwnContents {
  lengths: ContentLengths;
  packs: ReadonlySet<string>;
}

const MAX_RECENT = 10;
/**
 * Up to this many contents are searched for by the database, which then returns only rows that may have one of them.
 */
const MAX_SEARCHED_IN_DATABASE = 32;

/** A list of contents: hashes packed, lengths as a text with commas. */
interface Source {
  hashes: Buffer;
  lengths: string;
  packs: string[];
}

/**
 * Finds which of the contents an account already has: in its newest deployments, and in what its open uploads have
 * received. Deployments that were taken down are not searched. The contents of other accounts affect neither the result
 * nor the work.
 *
 * Call it under the fence: the packs then exist until the transaction ends.
 *
 * @param hashes SHA-256 in hex.
 * Source: api §9; security T22; storage P10.
 */
export async function findOwnContents(
  em: EntityManager,
  core: Core,
  account: string,
  hashes: ReadonlySet<string>,
): Promise<OwnContents> {
  const wanted = new Set(hashes);
  const lengths = new Map<string, number>();
  const packs = new Set<string>();
  const addFrom = (sources: readonly Source[]) => {
    for (const source of sources) if (take(source, wanted, lengths)) for (const pack of source.packs) packs.add(pack);
  };
  // The newest deployment has most of them, so few remain to be searched for in the others.
  if (wanted.size > MAX_SEARCHED_IN_DATABASE) addFrom(await inDeployments(em, core, account, 1, wanted));
  if (wanted.size > 0) addFrom(await inUploads(em, core, account, wanted));
  if (wanted.size > 0) addFrom(await inDeployments(em, core, account, MAX_RECENT, wanted));
  return { lengths, packs };
}

/** Moves the contents of a source from `wanted` to `found`. @returns True if it has any. */
function take(source: Source, wanted: Set<string>, found: Map<string, number>): boolean {
  const before = found.size;
  let lengths: number[] | null = null;
  for (const [i, sha256] of unpackHashes(source.hashes).entries())
    if (wanted.delete(sha256)) found.set(sha256, (lengths ??= splitNumbers(source.lengths))[i]!);
  return found.size > before;
}

async function inDeployments(
  em: EntityManager,
  core: Core,
  account: string,
  maxDeployments: number,
  wanted: ReadonlySet<string>,
): Promise<Source[]> {
  const { rows } = await sql<Source>`
    select m.hashes, array_to_string(m.sizes, ',') as lengths,
      array(select pack_id::text from deployment_pack n where n.deployment_id = d.id) as packs
    from (
      select id from deployment
      where account_id = ${account} and status = 'success' and taken_down is null
        and (expires is null or expires > ${core.now()})
      order by created desc, id desc limit ${maxDeployments}) d
    join manifest m on m.deployment_id = d.id where ${mayHold(sql.ref('m.hashes'), wanted)}`.execute(db(em));
  return rows;
}

async function inUploads(
  em: EntityManager,
  core: Core,
  account: string,
  wanted: ReadonlySet<string>,
): Promise<Source[]> {
  const { rows } = await sql<Source>`
    select c.hashes, array_to_string(c.lengths, ',') as lengths,
      array(select pack_id::text from upload_pack n where n.upload_hash = u.hash) as packs
    from (
      select hash from upload where account_id = ${account} and committed is null and expires > ${core.now()}
      order by created desc, hash limit ${MAX_RECENT}) u
    join upload_content c on c.upload_hash = u.hash where ${mayHold(sql.ref('c.hashes'), wanted)}`.execute(db(em));
  return rows;
}

/**
 * SQL that filters out rows without any of a few contents. A match across the boundary of two hashes only costs one
 * useless row.
 */
function mayHold(packed: RawBuilder<unknown>, wanted: ReadonlySet<string>): RawBuilder<unknown> {
  if (wanted.size > MAX_SEARCHED_IN_DATABASE) return sql`true`;
  return sql`exists (
    select 1 from unnest(${byteaArray([...wanted])}::bytea[]) as w (hash) where position(w.hash in ${packed}) > 0)`;
}
