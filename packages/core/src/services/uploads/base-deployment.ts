import { parseDeploymentReference, type UploadFile } from '@berth/contract';
import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { Caller, Core } from '../../core.ts';
import { notFound } from '../../errors.ts';
import { splitNumbers, unpackHashes } from '../packs/contents.ts';

/** A deployment that an upload is a change of. */
export interface Base {
  files: UploadFile[];
  /** The packs its contents lie in. */
  packs: string[];
}

interface Row {
  paths: string[];
  hashes: Buffer;
  sizes: string;
  packs: string[];
}

/**
 * Reads the files of a deployment of the caller's account. To be asked under the fence: its packs are then there until the
 * transaction ends.
 *
 * @throws `not_found` for one that is missing, another account's, expired, or being deleted.
 */
export async function readBase(em: EntityManager, core: Core, caller: Caller, reference: string): Promise<Base> {
  const id = parseDeploymentReference(reference, core.addresses.platformDomain);
  if (id === null || caller.kind === 'anonymous') throw notFound('deployment');
  const { rows } = await sql<Row>`
    select array_to_json(m.paths) as paths, m.hashes, array_to_string(m.sizes, ',') as sizes,
      array(select pack_id::text from deployment_pack n where n.deployment_id = d.id) as packs
    from deployment d join manifest m on m.deployment_id = d.id
    where d.id = ${id} and d.account_id = ${caller.account} and d.status = 'success'
      and (d.expires is null or d.expires > ${core.now()})`.execute(em.getKysely());
  const [row] = rows;
  if (!row) throw notFound('deployment');
  return { files: filesOf(row), packs: row.packs };
}

/** The files of a manifest, as its columns have them: `sizes` as a text with commas. */
export function filesOf({ paths, hashes, sizes }: Pick<Row, 'paths' | 'hashes' | 'sizes'>): UploadFile[] {
  const sha256s = unpackHashes(hashes);
  const numbers = splitNumbers(sizes);
  return paths.map((path, i) => ({ path, sha256: sha256s[i]!, size: numbers[i]! }));
}
