import { constants } from 'node:buffer';
import {
  type DeployLimits,
  type FileRefusals,
  findPathConflict,
  formatByteLimit,
  isJunk,
  MAX_PATH_BYTES,
  normalizePath,
  refusedPath,
  type SizeLimit,
  type Warning,
} from '@berth/contract';
import type { JsonBounds } from '../../bounded-json.ts';
import type { Caller, Scope } from '../../core.ts';
import { invalid, invalidFile, ServiceError } from '../../errors.ts';
import { type FileLimits, limitsOf } from '../accounts/plans.ts';

interface CheckedFile {
  /** The path in canonical form; a printable form of a name that is refused. */
  path: string;
  /** True for a file such as `.DS_Store`, which is not published and does not count against the limits of the plan. */
  junk: boolean;
  /** Why the name is refused; `null` if it is accepted. A file that is refused still counts against the limits of the plan. */
  reason: string | null;
}

/** Checks the files of one deploy, one after the other. */
interface FileChecker {
  /**
   * Checks one more file by the name that the client sent or, with `accepted`, by its path in an earlier deployment.
   *
   * @throws `payload_too_large`.
   */
  begin(name: string, accepted?: boolean): CheckedFile;
  /** Counts bytes of the file that has begun last. @throws `payload_too_large` as soon as a limit is exceeded. */
  grow(bytes: number): void;
}

/** Checks the bytes of a file as they arrive. Throws if the file is refused. */
export interface ContentCheck {
  write(chunk: Uint8Array): void;
  end(): void;
}

/** Warnings about the entries of an archive that are not published. */
export interface LeftOutEntries {
  /** The first warnings. */
  readonly warnings: readonly Warning[];
  /** The number of all warnings. */
  readonly warningCount: number;
}

/** Returns the maximum number of file parts of a deploy, including junk. Source: security T4. */
export function maxFileParts(limits: DeployLimits): number {
  return limits.maxFilesCount * 2 + 100;
}

/** Creates the `payload_too_large` error. Source: api §2. */
export function payloadTooLarge(limit: SizeLimit, max: number, message: string, file?: string): ServiceError {
  return new ServiceError('payload_too_large', message, {
    details: { limit, max, ...(file === undefined ? {} : { file }) },
  });
}

function tooManyFiles({ maxFilesCount }: DeployLimits): ServiceError {
  return payloadTooLarge('maxFilesCount', maxFilesCount, `A deploy must have at most ${maxFilesCount} files.`);
}

/**
 * Checks the names, the number and the sizes of the files of one deploy. A limit is enforced as soon as it is exceeded.
 *
 * @param refusals Receives each file whose name is refused. Source: api §3; security T1, T4.
 */
export function createFileChecker(limits: FileLimits, refusals: FileRefusals): FileChecker {
  const { maxFileSize, maxFilesCount, maxTotalSize, blockedExtensions } = limits;
  const maxParts = maxFileParts(limits);
  let parts = 0;
  let files = 0;
  let totalBytes = 0;
  // The state of the file that has begun last. An object for each of 10,000 files would cost more than the checks.
  let file: CheckedFile;
  let size = 0;
  return {
    begin(name, accepted = false) {
      file = accepted ? { path: name, junk: false, reason: null } : judgeName(name, blockedExtensions);
      size = 0;
      const { path, junk, reason } = file;
      if (reason !== null) refusals.add(path, reason);
      parts += 1;
      if (parts > maxParts)
        throw payloadTooLarge('maxFilesCount', maxFilesCount, `A deploy must have at most ${maxParts} parts.`);
      if (!junk) files += 1;
      if (files > maxFilesCount) throw tooManyFiles(limits);
      return file;
    },
    grow(bytes) {
      const { path, junk } = file;
      size += bytes;
      if (size > maxFileSize) {
        const message = `${path}: a file must have at most ${formatByteLimit(maxFileSize)}.`;
        throw payloadTooLarge('maxFileSize', maxFileSize, message, path);
      }
      if (junk) return;
      totalBytes += bytes;
      if (totalBytes > maxTotalSize) {
        const message = `A deploy must have at most ${formatByteLimit(maxTotalSize)}.`;
        throw payloadTooLarge('maxTotalSize', maxTotalSize, message, path);
      }
    },
  };
}

/** Checks the name of a file as the client sent it. @throws `validation_failed`. Source: api §3. */
export function checkName(name: string, { blockedExtensions }: FileLimits): { path: string; junk: boolean } {
  const { path, junk, reason } = judgeName(name, blockedExtensions);
  if (reason !== null) throw invalidFile(path, reason);
  return { path, junk };
}

function judgeName(name: string, blockedExtensions: FileLimits['blockedExtensions']): CheckedFile {
  const normalized = normalizePath(name);
  if (!normalized.ok) return { path: toPrintableName(name), junk: false, reason: normalized.reason };
  const { path } = normalized;
  const junk = isJunk(path);
  return { path, junk, reason: junk ? null : refusedPath(path, blockedExtensions) };
}

/**
 * Returns the files that a deploy publishes: all parts except junk.
 *
 * @param field The field that lists the files, for the error message.
 * @throws `validation_failed` if there is no file, or if the paths of two files conflict. Source: api §3.
 */
export function publishedFiles<T extends { path: string; junk: boolean }>(parts: readonly T[], field: string): T[] {
  const files = parts.filter(({ junk }) => !junk);
  refuseNoFile(files, field);
  refusePathConflict(files);
  return files;
}

/** @param field The field that lists the files, for the error message. @throws `validation_failed` if there is no file. */
export function refuseNoFile(files: readonly unknown[], field: string): void {
  if (files.length === 0) throw invalid(field, 'a deploy must have at least one file');
}

/** @throws `validation_failed` if the paths of two files conflict. Source: api §3. */
export function refusePathConflict(files: readonly { path: string }[]): void {
  const conflict = findPathConflict(files.map(({ path }) => path));
  if (conflict) throw invalidFile(conflict.second, `${conflict.reason} (${conflict.first} and ${conflict.second})`);
}

/** Returns a name of at most 200 characters for messages, without characters that could change how a message looks. */
export function toPrintableName(name: string): string {
  const printable = Array.from(name.slice(0, 200), (c) => (/[\p{C}\p{Zl}\p{Zp}]/u.test(c) ? '\ufffd' : c)).join('');
  return printable === '' ? '(empty)' : printable;
}

/** The size of a file in JSON without its path: field names, size, SHA-256, and white space. */
const FILE_BYTES = 256;
/** The size of a byte of a path that JSON writes as an escape such as `\u0041`. */
const ESCAPED_BYTES = 6;
/** A body of at most this size may escape every character. A larger body must have paths in plain UTF-8. */
const ESCAPED_BODY_BYTES = 128 * 1024 ** 2;
const OTHER_BYTES = 1024 ** 2;

/** The number of JSON values of a file: an object with three fields, times two for junk and unknown fields. */
const FILE_VALUES = 8;
const MAX_OTHER_VALUES = 10_000;

/**
 * Returns the maximum size of JSON that lists the files of a deploy: enough for as many files as the plan allows, with
 * paths of the maximum length. For up to 20,000 files, every character of the paths may be escaped.
 */
export function fileListSize({ maxFilesCount }: DeployLimits): Pick<JsonBounds, 'maxBytes' | 'maxValues'> {
  const escaped = maxFilesCount * (ESCAPED_BYTES * MAX_PATH_BYTES + FILE_BYTES);
  const plain = maxFilesCount * (MAX_PATH_BYTES + FILE_BYTES);
  const listBytes = Math.max(plain, Math.min(escaped, ESCAPED_BODY_BYTES));
  return {
    maxBytes: Math.min(OTHER_BYTES + listBytes, constants.MAX_STRING_LENGTH),
    maxValues: MAX_OTHER_VALUES + maxFilesCount * FILE_VALUES,
  };
}

/**
 * Throws `payload_too_large` for lists of files that are longer than the caller's plan allows, before the input is
 * validated. A change may remove as many files as the largest plan permits, because its base may have been published on that plan.
 */
export function refuseLongFileLists(scope: Scope<Caller>, input: unknown): void {
  if (typeof input !== 'object' || input === null) return;
  const { files, put, remove } = input as Record<string, unknown>;
  const limits = limitsOf(scope);
  const largestBase = Math.max(limits.maxFilesCount, ...scope.core.plans.all.map((plan) => plan.limits.maxFilesCount));
  const isLonger = (list: unknown, maxLength: number) => Array.isArray(list) && list.length > maxLength;
  if (isLonger(files, maxFileParts(limits)) || isLonger(put, maxFileParts(limits)) || isLonger(remove, largestBase))
    throw tooManyFiles(limits);
}
