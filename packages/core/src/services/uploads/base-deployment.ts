import { parseDeploymentReference, type UploadFile } from '@berth/contract';
import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { Caller, Core } from '../../core.ts';
import { db } from '../../database/tables.ts';
import { notFound, ServiceError } from '../../errors.ts';
import { splitNumbers, unpackHashes } from '../packs/contents.ts';

/** The deployment that an upload changes. */
export interface BaseDeployment {
  files: UploadFile[];
  /** The packs that contain its contents. */
  packs: string[];
  /** PHC string; `null` for a public site. */
  passwordHash: string | null;
}

interface Row {
  passwordHash: string | null;
  takenDown: boolean;
  paths: string[];
  hashes: Buffer;
  sizes: string;
  packs: string[];
}

/**
 * Reads the files of a deployment of the caller's account. Call it under the fence: its packs then exist until the
 * transaction ends.
 *
 * @throws `not_found` if it is missing, another account's, expired or being deleted; `business_logic_error` if it was
 *   taken down.
 */
export async function readBaseDeployment(
  em: EntityManager,
  core: Core,
  caller: Caller,
  reference: string,
): Promise<BaseDeployment> {
  const id = parseDeploymentReference(reference, core.addresses.platformDomain);
  if (id === null || caller.kind === 'anonymous') throw notFound('deployment');
  const { rows } = await sql<Row>`
    select array_to_json(m.paths) as paths, m.hashes, array_to_string(m.sizes, ',') as sizes,
      d.password_hash as "passwordHash", d.taken_down is not null as "takenDown",
      array(select pack_id::text from deployment_pack n where n.deployment_id = d.id) as packs
    from deployment d join manifest m on m.deployment_id = d.id
    where d.id = ${id} and d.account_id = ${caller.account} and d.status = 'success'
      and (d.expires is null or d.expires > ${core.now()})`.execute(db(em));
  const [row] = rows;
  if (!row) throw notFound('deployment');
  if (row.takenDown)
    throw new ServiceError(
      'business_logic_error',
      'This deployment was taken down by the operator; it cannot be a base. Begin with every file instead.',
      { details: { state: 'taken_down' } },
    );
  return { files: filesOf(row), packs: row.packs, passwordHash: row.passwordHash };
}

/** The files of a manifest, from its columns. `sizes` is a text with commas. */
export function filesOf({ paths, hashes, sizes }: Pick<Row, 'paths' | 'hashes' | 'sizes'>): UploadFile[] {
  const sha256s = unpackHashes(hashes);
  const numbers = splitNumbers(sizes);
  return paths.map((path, i) => ({ path, sha256: sha256s[i]!, size: numbers[i]! }));
}
