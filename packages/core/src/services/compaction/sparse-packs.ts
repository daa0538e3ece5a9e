import type { Coding } from '@berth/serving';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Core } from '../../core.ts';
import { db } from '../../database/tables.ts';
import { type CompressedForm, Pack } from '../../entities/index.ts';
import { type IndexEntry, packBytesOf } from '../../storage/pack-index.ts';
import { hexOf, unpackHashes } from '../packs/contents.ts';

/** A content in a pack, or the compressed forms of a content. */
export interface StoredUnit {
  /** The SHA-256 of the content, in hex. */
  content: string;
  /** `null` for the content. */
  forms: Partial<Record<Coding, CompressedForm>> | null;
  /** The places of the bytes in the pack. */
  places: readonly IndexEntry[];
}

/** A pack of which less than half is needed. */
export interface SparsePack {
  id: string;
  sizeBytes: number;
  /** What is needed, in the order of the pack. */
  live: readonly StoredUnit[];
  /** The deployments that refer to the pack. They need nothing in it but `live`. */
  deployments: readonly string[];
}

/** Disks allocate blocks of this size, so that less frees nothing. */
export const MIN_FREED_BYTES = 4096;
/** The number of manifests that one statement reads. */
const MANIFESTS_AT_ONCE = 10;

/**
 * Finds what is still needed of a pack. Reads the manifests of the deployments that refer to it, and stops when half of it is
 * needed. What only open uploads need does not count: they keep the pack. Memory grows with the contents of one pack, which the
 * caps of a plan bound.
 *
 * @returns `null` if the pack is not sealed, if half of it is needed, if only the sweep or uploads decide about it because no
 *   deployment and no form refers to it, or after an abort. Source: storage C1.
 */
export async function findSparsePack(core: Core, id: string, signal: AbortSignal): Promise<SparsePack | null> {
  const em = core.database.em();
  const row = await em.findOne(Pack, { id, state: 'sealed' }, { disableIdentityMap: true });
  if (!row) return null;
  const forms = await readForms(em, id);
  const deployments = await readDeployments(em, id);
  if (deployments.length + forms.length === 0) return null;
  const unneeded = await readContents(em, id);
  const live: StoredUnit[] = [...forms];
  const places = new Set(forms.flatMap((unit) => unit.places.map(({ sha256 }) => sha256)));
  let liveBytes = sum(new Map(forms.flatMap((unit) => unit.places.map((p) => [p.sha256, p.length]))).values());
  const isSparse = () => {
    const neededBytes = packBytesOf(places.size, liveBytes);
    return neededBytes * 2 < row.size && row.size - neededBytes >= MIN_FREED_BYTES;
  };
  for (let at = 0; at < deployments.length && isSparse(); at += MANIFESTS_AT_ONCE) {
    if (signal.aborted) return null;
    for (const hashes of await readManifests(em, deployments.slice(at, at + MANIFESTS_AT_ONCE)))
      for (const sha256 of unpackHashes(hashes)) {
        const place = unneeded.get(sha256);
        if (!place) continue;
        unneeded.delete(sha256);
        places.add(sha256);
        liveBytes += place.length;
        live.push({ content: sha256, forms: null, places: [place] });
      }
  }
  if (!isSparse()) return null;
  live.sort((a, b) => a.places[0]!.offset - b.places[0]!.offset);
  return { id, sizeBytes: row.size, live, deployments };
}

async function readContents(em: EntityManager, pack: string): Promise<Map<string, IndexEntry>> {
  const rows = await db(em)
    .selectFrom('content')
    .select(({ ref }) => [hexOf(ref('hash')).as('sha256'), 'offset', 'length'])
    .where('pack_id', '=', pack)
    .execute();
  return new Map(rows.map((row) => [row.sha256, row]));
}

async function readForms(em: EntityManager, pack: string): Promise<StoredUnit[]> {
  const rows = await db(em)
    .selectFrom('compression')
    .select(({ ref }) => [hexOf(ref('content_hash')).as('content'), 'forms'])
    .where('pack_id', '=', pack)
    .execute();
  return rows.map(({ content, forms }) => ({ content, forms, places: Object.values(forms) }));
}

async function readDeployments(em: EntityManager, pack: string): Promise<string[]> {
  const query = db(em).selectFrom('deployment_pack').select('deployment_id as id').where('pack_id', '=', pack);
  return (await query.orderBy('deployment_id', 'desc').execute()).map(({ id }) => id);
}

async function readManifests(em: EntityManager, deployments: readonly string[]): Promise<Uint8Array[]> {
  const query = db(em)
    .selectFrom('manifest')
    .select('hashes')
    .where('deployment_id', 'in', [...deployments]);
  return (await query.execute()).map(({ hashes }) => hashes);
}

function sum(numbers: Iterable<number>): number {
  let total = 0;
  for (const number of numbers) total += number;
  return total;
}
