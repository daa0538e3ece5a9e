import {
  type DeployLimits,
  findPathConflict,
  isJunk,
  normalizePath,
  refusedPath,
  type SizeLimit,
} from '@berth/contract';
import { invalid, invalidFile, ServiceError } from '../../errors.ts';

/** A file that a deploy may contain. */
export interface CheckedFile {
  /** In canonical form. */
  path: string;
  /**
   * True for a file that a desktop system left in the folder. It is dropped silently and does not count against the
   * limits.
   */
  junk: boolean;
  /** Counts bytes of the file. @throws `payload_too_large` as soon as a limit is exceeded. */
  grow(bytes: number): void;
}

/** Checks the bytes of a file as they pass; throws if they are refused. */
export interface ContentCheck {
  write(chunk: Uint8Array): void;
  end(): void;
}

/**
 * The maximum number of file parts of a deploy. Includes junk, which does not count against the plan.
 * Source: security T4.
 */
export function maxFileParts(limits: DeployLimits): number {
  return limits.maxFilesCount * 2 + 100;
}

/** Creates the `payload_too_large` error. Source: api §2. */
export function payloadTooLarge(limit: SizeLimit, max: number, message: string, file?: string): ServiceError {
  return new ServiceError('payload_too_large', message, {
    details: { limit, max, ...(file === undefined ? {} : { file }) },
  });
}

/** The error for more files than the plan allows. */
export function tooManyFiles({ maxFilesCount }: DeployLimits): ServiceError {
  return payloadTooLarge('maxFilesCount', maxFilesCount, `A deploy must have at most ${maxFilesCount} files.`);
}

/** The error for a file that is larger than the plan allows. */
export function fileTooLarge(path: string, maxFileSize: number): ServiceError {
  return payloadTooLarge('maxFileSize', maxFileSize, `${path}: a file must have at most ${maxFileSize} bytes.`, path);
}

/**
 * Checks the files of one deploy as they are named: their paths, refused names, their number and their sizes. A limit
 * is enforced as soon as it is exceeded.
 *
 * @returns A function that checks one more file, by the name it was sent with, or by its path in a deployment, which
 *   was accepted before. @throws `validation_failed`, `payload_too_large`.
 * Source: api §3; security T1, T4.
 */
export function createFileChecker(
  limits: DeployLimits,
): (name: string, options?: { accepted: boolean }) => CheckedFile {
  const { maxFileSize, maxFilesCount, maxTotalSize } = limits;
  let started = 0;
  let files = 0;
  let totalBytes = 0;
  return (name, { accepted } = { accepted: false }) => {
    const { path, junk } = accepted ? { path: name, junk: false } : checkName(name);
    started += 1;
    if (started > maxFileParts(limits))
      throw payloadTooLarge(
        'maxFilesCount',
        maxFilesCount,
        `A deploy must have at most ${maxFileParts(limits)} parts.`,
      );
    if (!junk) files += 1;
    if (files > maxFilesCount) throw tooManyFiles(limits);

    let size = 0;
    return {
      path,
      junk,
      grow(bytes) {
        size += bytes;
        if (size > maxFileSize) throw fileTooLarge(path, maxFileSize);
        if (junk) return;
        totalBytes += bytes;
        if (totalBytes > maxTotalSize)
          throw payloadTooLarge(
            'maxTotalSize',
            maxTotalSize,
            `A deploy must have at most ${maxTotalSize} bytes.`,
            path,
          );
      },
    };
  };
}

/** @throws `validation_failed` for an invalid path or a refused name. */
function checkName(name: string): { path: string; junk: boolean } {
  const read = normalizePath(name);
  if (!read.ok) throw invalidFile(toPrintableName(name), read.reason);
  const { path } = read;
  const junk = isJunk(path);
  const refused = junk ? null : refusedPath(path);
  if (refused) throw invalidFile(path, refused);
  return { path, junk };
}

/**
 * The files that a deploy publishes.
 *
 * @param field The field that listed them, named in the error for an empty list.
 * @throws `validation_failed` if there are none, or two of them conflict. Source: api §3.
 */
export function publishedFiles<T extends { path: string; junk: boolean }>(parts: readonly T[], field: string): T[] {
  const files = parts.filter(({ junk }) => !junk);
  if (files.length === 0) throw invalid(field, 'a deploy must have at least one file');
  const conflict = findPathConflict(files.map(({ path }) => path));
  if (conflict) throw invalidFile(conflict.second, `${conflict.reason} (${conflict.first} and ${conflict.second})`);
  return files;
}

/** A name as an error message may contain it: printable and short. */
function toPrintableName(name: string): string {
  const printable = Array.from(name.slice(0, 200), (c) => (/[\p{C}\p{Zl}\p{Zp}]/u.test(c) ? '\ufffd' : c)).join('');
  return printable === '' ? '(empty)' : printable;
}
