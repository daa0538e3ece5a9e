import {
  type ChangeUpload,
  FileRefusals,
  normalizePath,
  parseDeploymentReference,
  type UploadFile,
} from '@berth/contract';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Caller, Scope } from '../../core.ts';
import { db } from '../../database/tables.ts';
import { invalid, invalidFile, notFound, ServiceError, throwRefusals } from '../../errors.ts';
import type { FileLimits } from '../accounts/plans.ts';
import { createFileChecker, publishedFiles } from '../deployments/file-rules.ts';
import { filesOf, joinNumbers } from '../packs/contents.ts';

/**
 * Reads the files, the packs and the password hash of the deployment that an upload changes. The caller must hold the
 * fence, so that the packs exist until the transaction ends.
 *
 * @throws `not_found` if the deployment is missing, another account's, expired or being deleted; `business_logic_error`
 *   if it was taken down.
 */
export async function readBaseDeployment(em: EntityManager, { core, caller }: Scope<Caller>, reference: string) {
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
      joinNumbers(ref('m.sizes')).as('sizes'),
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
 * Returns the files that an upload publishes, under the same rules as the files of a multipart deploy.
 *
 * @param options.field The field that lists the files, for error messages.
 * @param options.base The files of the base deployment, whose paths are not checked again.
 * @throws `validation_failed` that names all refused files; `payload_too_large`. Source: api §3, §9.
 */
export function planFiles(
  files: readonly UploadFile[],
  limits: FileLimits,
  { field, base = [] }: { field: string; base?: readonly UploadFile[] },
): UploadFile[] {
  const refusals = new FileRefusals();
  const checker = createFileChecker(limits, refusals);
  const acceptedPaths = new Set(base);
  const checkedFiles = files.map((file) => {
    const { path: name, size, sha256 } = file;
    const { path, junk } = checker.begin(name, acceptedPaths.has(file));
    checker.grow(size);
    return { path, junk, size, sha256 };
  });
  throwRefusals(refusals);
  const plannedFiles = publishedFiles(checkedFiles, field).map(({ path, size, sha256 }) => ({ path, size, sha256 }));
  refuseTwoSizes(plannedFiles);
  return plannedFiles;
}

/**
 * Applies a change to the files of a base. Replaced files keep their positions; new files are appended.
 *
 * @throws `validation_failed` for a path that is both put and removed, or put twice. Source: api §9; security T2.
 */
export function changedFiles(
  base: readonly UploadFile[],
  { put, remove }: Pick<ChangeUpload, 'put' | 'remove'>,
): UploadFile[] {
  const removedPaths = new Set(remove.map(canonicalPath));
  const filesByPath = new Map(base.filter(({ path }) => !removedPaths.has(path)).map((file) => [file.path, file]));
  const putPaths = new Set<string>();
  for (const file of put) {
    const path = canonicalPath(file.path);
    if (removedPaths.has(path)) throw invalid('remove', `${path} must not also be in put`);
    if (putPaths.has(path)) throw invalidFile(path, 'the path must be in put only once');
    putPaths.add(path);
    filesByPath.set(path, file);
  }
  return [...filesByPath.values()];
}

/** Returns the canonical form of a name; an invalid name unchanged, because it is refused later or matches no file. */
function canonicalPath(name: string): string {
  const normalized = normalizePath(name);
  return normalized.ok ? normalized.path : name;
}

function refuseTwoSizes(files: readonly UploadFile[]): void {
  const sizes = new Map<string, number>();
  for (const { path, size, sha256 } of files) {
    const knownSize = sizes.get(sha256) ?? size;
    if (knownSize !== size) throw sizeMismatch(path, size, knownSize);
    sizes.set(sha256, size);
  }
}

/** Creates the error for a size that differs from the size of the stored content. */
export function sizeMismatch(path: string, size: number, known: number) {
  return invalidFile(path, `the announced size is ${size} bytes, but the file with this SHA-256 has ${known}`);
}
