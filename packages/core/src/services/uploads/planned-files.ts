import type { DeployLimits, UploadFile } from '@berth/contract';
import { normalizePath } from '@berth/contract';
import { invalid, invalidFile } from '../../errors.ts';
import { createFileChecker, publishedFiles } from '../deployments/file-rules.ts';

/** The changes of an upload to its base. */
export interface BaseChange {
  base: readonly UploadFile[];
  put: readonly UploadFile[];
  remove: readonly string[];
}

/**
 * The files that an upload will publish, under the same rules as those of a multipart deploy.
 *
 * @param options.field The field that listed them, named in errors.
 * @param options.base The files of the base. Those of them that are planned again keep their paths.
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
export function changedFiles({ base, put, remove }: BaseChange): UploadFile[] {
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

/** @throws `validation_failed` if one content is listed with two lengths. */
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
