import {
  type DeployLimits,
  findPathConflict,
  isJunk,
  normalizePath,
  refusedPath,
  type SizeLimit,
} from '@berth/contract';
import { invalid, invalidFile, ServiceError } from '../../errors.ts';

/** A file that may stand in a deploy. */
export interface JudgedFile {
  /** Canonical. */
  path: string;
  /** Left behind by a desktop system: it is dropped without a word and not counted for the user. */
  junk: boolean;
  /** Counts bytes of it. @throws `payload_too_large` the moment a limit is crossed. */
  grow(bytes: number): void;
}

/** How many file parts a deploy may have: junk is not counted for the user, but it is counted here. Source: security T4. */
export function maxParts(limits: DeployLimits): number {
  return limits.maxFilesCount * 2 + 100;
}

/** @throws `payload_too_large` in the one form it has. Source: contract §2. */
export function tooLarge(limit: SizeLimit, max: number, message: string, file?: string): ServiceError {
  return new ServiceError('payload_too_large', message, {
    details: { limit, max, ...(file === undefined ? {} : { file }) },
  });
}

/** The refusal of more files than the plan allows. Source: contract §2. */
export function tooManyFiles({ maxFilesCount }: DeployLimits): ServiceError {
  return tooLarge('maxFilesCount', maxFilesCount, `A deploy must have at most ${maxFilesCount} files.`);
}

/** The refusal of one file that is larger than the plan allows. Source: contract §2. */
export function fileTooLarge(path: string, maxFileSize: number): ServiceError {
  return tooLarge('maxFileSize', maxFileSize, `${path}: a file must have at most ${maxFileSize} bytes.`, path);
}

/**
 * Judges the files of one deploy as they are named: their paths, what is refused by its name, how many there are, how large
 * they are. Every limit is refused the moment it is crossed.
 *
 * @returns Judges one more file, by the name it was sent with, or by the path that a deployment has it by, which was
 *   accepted then. @throws `validation_failed`, `payload_too_large`.
 * Source: contract §3; security T1, T4.
 */
export function judgeFiles(limits: DeployLimits): (name: string, options?: { accepted: boolean }) => JudgedFile {
  const { maxFileSize, maxFilesCount, maxTotalSize } = limits;
  let started = 0;
  let files = 0;
  let totalBytes = 0;
  return (name, { accepted } = { accepted: false }) => {
    const { path, junk } = accepted ? { path: name, junk: false } : judgeName(name);
    started += 1;
    if (started > maxParts(limits))
      throw tooLarge('maxFilesCount', maxFilesCount, `A deploy must have at most ${maxParts(limits)} parts.`);
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
          throw tooLarge('maxTotalSize', maxTotalSize, `A deploy must have at most ${maxTotalSize} bytes.`, path);
      },
    };
  };
}

/** @throws `validation_failed` for a name that is no path, or is refused. */
function judgeName(name: string): { path: string; junk: boolean } {
  const read = normalizePath(name);
  if (!read.ok) throw invalidFile(shown(name), read.reason);
  const { path } = read;
  const junk = isJunk(path);
  const refused = junk ? null : refusedPath(path);
  if (refused) throw invalidFile(path, refused);
  return { path, junk };
}

/**
 * The files a deploy publishes.
 *
 * @param field Where they stood, for the refusal of none.
 * @throws `validation_failed` when there are none, or two cannot stand side by side. Source: contract §3.
 */
export function publishedFiles<T extends { path: string; junk: boolean }>(parts: readonly T[], field: string): T[] {
  const files = parts.filter(({ junk }) => !junk);
  if (files.length === 0) throw invalid(field, 'a deploy must have at least one file');
  const conflict = findPathConflict(files.map(({ path }) => path));
  if (conflict) throw invalidFile(conflict.second, `${conflict.reason} (${conflict.first} and ${conflict.second})`);
  return files;
}

/** A name as an error may show it: printable and short. */
function shown(name: string): string {
  const printable = Array.from(name.slice(0, 200), (c) => (/[\p{C}\p{Zl}\p{Zp}]/u.test(c) ? '\ufffd' : c)).join('');
  return printable === '' ? '(empty)' : printable;
}
