import {
  type ChangeUpload,
  type DeployLimits,
  normalizePath,
  parseDeploymentReference,
  type UploadFile,
} from '@berth/contract';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Caller, Scope } from '../../core.ts';
import { db } from '../../database/tables.ts';
import { invalid, invalidFile, notFound, ServiceError } from '../../errors.ts';
import { createFileChecker, publishedFiles } from '../deployments/file-rules.ts';
import { filesOf, joined } from '../packs/contents.ts';

/** The deployment that an upload changes. */
export interface BaseDeployment {
  files: UploadFile[];
  /** The packs that contain its contents. */
  packs: string[];
  /** PHC string; `null` for a public site. */
  passwordHash: string | null;
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
  { core, caller }: Scope<Caller>,
  reference: string,
): Promise<BaseDeployment> {
  const id = parseDeploymentReference(reference, core.addresses.platformDomain);
  if (id === null || caller.kind === 'anonymous') throw notFound('deployment');
  const row = await db(em)
    .selectFrom('deployment as d')
    .innerJoin('manifest as m', 'm.deployment_id', 'd.id')
    .select(({ fn, ref, selectFrom }) => [
      'd.password_hash as passwordHash',
      'd.taken_down as takenDown',
      fn<string[]>('array_to_json', ['m.paths']).as('paths'),
      'm.hashes',
      joined(ref('m.sizes')).as('sizes'),
      selectFrom('deployment_pack')
        .select((eb) => eb.fn.agg<string[]>('json_agg', ['pack_id']).as('packs'))
        .whereRef('deployment_id', '=', 'd.id')
        .$asScalar()
        .$notNull()
        .as('packs'),
    ])
    .where('d.id', '=', id)
    .where('d.account_id', '=', caller.account)
    .where('d.status', '=', 'success')
    .where(({ eb, or }) => or([eb('d.expires', 'is', null), eb('d.expires', '>', core.now())]))
    .executeTakeFirst();
  if (!row) throw notFound('deployment');
  if (row.takenDown)
    throw new ServiceError(
      'business_logic_error',
      'This deployment was taken down by the operator; it cannot be a base. Begin with every file instead.',
      { details: { state: 'taken_down' } },
    );
  return { files: filesOf(row), packs: row.packs, passwordHash: row.passwordHash };
}

/**
 * The files that an upload will publish, under the same rules as those of a multipart deploy.
 *
 * @param options.field The field that listed them, named in errors.
 * @param options.base The files of the base deployment. A file that is listed again keeps its path.
 * @throws `validation_failed`, `payload_too_large`. Source: api §3, §9.
 */
export function planFiles(
  files: readonly UploadFile[],
  limits: DeployLimits,
  { field, base = [] }: { field: string; base?: readonly UploadFile[] },
): UploadFile[] {
  const checkFile = createFileChecker(limits);
  const accepted = new Set(base);
  const checked = files.map((file) => {
    const { path: name, size, sha256 } = file;
    const { path, junk, grow } = checkFile(name, { accepted: accepted.has(file) });
    grow(size);
    return { path, junk, size, sha256 };
  });
  const planned = publishedFiles(checked, field).map(({ path, size, sha256 }) => ({ path, size, sha256 }));
  refuseTwoSizes(planned);
  return planned;
}

/**
 * The files of a base after a change: in the order of the base, replaced files at their old positions, new ones at the
 * end.
 *
 * @throws `validation_failed` for a path that is both put and removed, or put twice. Source: api §9; security T2.
 */
export function changedFiles(
  base: readonly UploadFile[],
  { put, remove }: Pick<ChangeUpload, 'put' | 'remove'>,
): UploadFile[] {
  const removed = new Set(remove.map(canonical));
  const changed = new Map(base.filter(({ path }) => !removed.has(path)).map((file) => [file.path, file]));
  const seen = new Set<string>();
  for (const file of put) {
    const path = canonical(file.path);
    if (removed.has(path)) throw invalid('remove', `${path} must not be in put as well`);
    if (seen.has(path)) throw invalidFile(path, 'two parts name the same file');
    seen.add(path);
    changed.set(path, file);
  }
  return [...changed.values()];
}

/**
 * The canonical form of a name, so that two names of one file are equal. An invalid name is returned unchanged: it is
 * refused later, or matches nothing.
 */
function canonical(name: string): string {
  const read = normalizePath(name);
  return read.ok ? read.path : name;
}

function refuseTwoSizes(files: readonly UploadFile[]): void {
  const sizes = new Map<string, number>();
  for (const { path, size, sha256 } of files) {
    const known = sizes.get(sha256) ?? size;
    if (known !== size) throw sizeMismatch(path, size, known);
    sizes.set(sha256, size);
  }
}

/** The error for a size that differs from the size of the content with this SHA-256. */
export function sizeMismatch(path: string, size: number, known: number) {
  return invalidFile(path, `its size is given as ${size} bytes, but the content with this SHA-256 has ${known}`);
}
