import {
  type ChangeUpload,
  FileRefusals,
  normalizePath,
  parseDeploymentReference,
  type UploadFile,
} from '@berth/contract';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Caller, Core, Scope } from '../../core.ts';
import { db } from '../../database/tables.ts';
import { invalid, invalidFile, notFound, ServiceError, throwRefusals } from '../../errors.ts';
import type { FileLimits } from '../accounts/plans.ts';
import { createFileChecker, refuseNoFile, refusePathConflict } from '../deployments/file-rules.ts';
import { Manifest, manifestsOf } from '../deployments/manifest.ts';
import { readFiles } from '../packs/contents.ts';

/**
 * Reads the manifest, the packs and the password hash of the deployment that an upload changes. The caller must hold the
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
    .select(({ selectFrom }) => [
      'd.password_hash as passwordHash',
      'd.taken_down as takenDown',
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
  return { id, manifest: await manifestOf(em, core, id), packs: row.packs, passwordHash: row.passwordHash };
}

async function manifestOf(em: EntityManager, core: Core, deployment: string): Promise<Manifest> {
  const recentManifest = manifestsOf(core).ofDeployment(deployment);
  if (recentManifest) return recentManifest;
  const files = await readFiles(em, { deployment });
  if (!files) throw notFound('deployment');
  return new Manifest(files);
}

/** The files that an upload publishes. */
export interface PlannedFiles {
  files: readonly UploadFile[];
  /** Those of the files that the request lists; the others are unchanged files of the base. */
  listed: readonly UploadFile[];
}

/**
 * Returns the files of an upload that lists all of its files, under the same rules as the files of a multipart deploy.
 *
 * @throws `validation_failed` that names all refused files; `payload_too_large`. Source: api §3, §9.
 */
export function planWholeFiles(files: readonly UploadFile[], limits: FileLimits): PlannedFiles {
  const planned = checkFiles(files, limits, 'files', () => true);
  refusePathConflict(planned.files);
  refuseTwoSizes(planned.listed);
  return planned;
}

/**
 * Applies a change to the files of a base, under the same rules as the files of a multipart deploy. Replaced files keep their positions;
 * new files are appended. The paths of the base, and the sizes of its contents, are not checked again.
 *
 * @returns Also `hasSamePaths`, true if the paths are those of the base, in the same order.
 * @throws `validation_failed` for a path that is both put and removed, or put twice, and for refused files, which it names;
 *   `payload_too_large`. Source: api §3, §9; security T2.
 */
export function planChangedFiles(
  base: readonly UploadFile[],
  { put, remove }: Pick<ChangeUpload, 'put' | 'remove'>,
  limits: FileLimits,
): PlannedFiles & { hasSamePaths: boolean } {
  const removedPaths = new Set(remove.map(canonicalPath));
  const putByPath = new Map<string, UploadFile>();
  for (const file of put) {
    const path = canonicalPath(file.path);
    if (removedPaths.has(path)) throw invalid('remove', `${path} must not also be in put`);
    if (putByPath.has(path)) throw invalidFile(path, 'the path must be in put only once');
    putByPath.set(path, file);
  }
  const files: UploadFile[] = [];
  for (const file of base) {
    if (removedPaths.has(file.path)) continue;
    files.push(putByPath.get(file.path) ?? file);
    putByPath.delete(file.path);
  }
  const putFiles = new Set(put);
  const planned = checkFiles([...files, ...putByPath.values()], limits, 'put', (file) => putFiles.has(file));
  // A file that replaces another one conflicts with no path.
  if (putByPath.size > 0) refusePathConflict(planned.files);
  refuseTwoSizes(planned.listed);
  return { ...planned, hasSamePaths: putByPath.size === 0 && planned.files.length === base.length };
}

/**
 * Checks names, number and sizes of files. Returns those that are not junk, with their paths in canonical form.
 *
 * @param field The field that lists the files, for error messages.
 * @param isListed Whether the request lists a file. The names of other files are not checked.
 */
function checkFiles(
  files: readonly UploadFile[],
  limits: FileLimits,
  field: string,
  isListed: (file: UploadFile) => boolean,
): PlannedFiles {
  const refusals = new FileRefusals();
  const checker = createFileChecker(limits, refusals);
  const planned = { files: [] as UploadFile[], listed: [] as UploadFile[] };
  for (const file of files) {
    const isChecked = isListed(file);
    const { path, junk } = checker.begin(file.path, !isChecked);
    checker.grow(file.size);
    if (junk) continue;
    const plannedFile = path === file.path ? file : { ...file, path };
    planned.files.push(plannedFile);
    if (isChecked) planned.listed.push(plannedFile);
  }
  throwRefusals(refusals);
  refuseNoFile(planned.files, field);
  return planned;
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
