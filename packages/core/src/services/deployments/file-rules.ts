import { constants } from 'node:buffer';
import {
  type DeployLimits,
  findPathConflict,
  isJunk,
  MAX_PATH_BYTES,
  normalizePath,
  refusedPath,
  type SizeLimit,
} from '@berth/contract';
import type { JsonBounds } from '../../bounded-json.ts';
import type { Caller, Scope } from '../../core.ts';
import { invalid, invalidFile, ServiceError } from '../../errors.ts';
import { limitsOf } from '../accounts/plans.ts';

interface CheckedFile {
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

function tooManyFiles({ maxFilesCount }: DeployLimits): ServiceError {
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

function toPrintableName(name: string): string {
  const printable = Array.from(name.slice(0, 200), (c) => (/[\p{C}\p{Zl}\p{Zp}]/u.test(c) ? '\ufffd' : c)).join('');
  return printable === '' ? '(empty)' : printable;
}

/** The size of a file in JSON without its path: field names, size, SHA-256, and white space. */
const FILE_BYTES = 256;
/** JSON can write each byte of a path as an escape such as `\u0041`. */
const ESCAPED_BYTES = 6;
/** Bodies up to this size may escape every character. Larger ones must have paths in plain UTF-8. */
const ESCAPED_BODY_BYTES = 128 * 1024 ** 2;
const OTHER_BYTES = 1024 ** 2;

/** An object and its three values, times two: junk is listed but not counted, and unknown fields are ignored. */
const FILE_VALUES = 8;
const OTHER_VALUES = 10_000;

/**
 * The maximum size of JSON that lists the files of a deploy: enough for as many files as the plan allows, with paths of
 * the maximum length.
 *
 * Up to 20,000 files this includes JSON in plain ASCII, where each byte of a path may take 6 bytes.
 */
export function fileListSize({ maxFilesCount }: DeployLimits): Pick<JsonBounds, 'maxBytes' | 'maxValues'> {
  const escaped = maxFilesCount * (ESCAPED_BYTES * MAX_PATH_BYTES + FILE_BYTES);
  const plain = maxFilesCount * (MAX_PATH_BYTES + FILE_BYTES);
  const listBytes = Math.max(plain, Math.min(escaped, ESCAPED_BODY_BYTES));
  return {
    maxBytes: Math.min(OTHER_BYTES + listBytes, constants.MAX_STRING_LENGTH),
    maxValues: OTHER_VALUES + maxFilesCount * FILE_VALUES,
  };
}

/**
 * Refuses lists of files that are longer than the caller's plan allows. Reads only their lengths, so it runs before
 * validation.
 *
 * A change may remove as many files as any plan allows, because its base may come from a larger plan.
 *
 * @param input As the client sent it.
 * @throws `payload_too_large`.
 */
export function refuseLongFileLists({ core, caller }: Scope<Caller>, input: unknown): void {
  if (typeof input !== 'object' || input === null) return;
  const { files, put, remove } = input as Record<string, unknown>;
  const limits = limitsOf(core, caller);
  const largestBase = Math.max(...core.plans.all.map((plan) => plan.limits.maxFilesCount));
  const isLonger = (list: unknown, maxLength: number) => Array.isArray(list) && list.length > maxLength;
  if (isLonger(files, maxFileParts(limits)) || isLonger(put, maxFileParts(limits)) || isLonger(remove, largestBase))
    throw tooManyFiles(limits);
}
