import { constants } from 'node:buffer';
import { type DeployLimits, MAX_PATH_BYTES } from '@berth/contract';
import type { JsonBounds } from '../../bounded-json.ts';
import type { Caller, Core } from '../../core.ts';
import { limitsOf } from '../accounts/plans.ts';
import { maxFileParts, tooManyFiles } from './file-rules.ts';

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
export function refuseLongFileLists(core: Core, caller: Caller, input: unknown): void {
  if (typeof input !== 'object' || input === null) return;
  const { files, put, remove } = input as Record<string, unknown>;
  const limits = limitsOf(core, caller);
  const largestBase = Math.max(...core.plans.all.map((plan) => plan.limits.maxFilesCount));
  if (isLonger(files, maxFileParts(limits)) || isLonger(put, maxFileParts(limits)) || isLonger(remove, largestBase))
    throw tooManyFiles(limits);
}

function isLonger(list: unknown, maxLength: number): boolean {
  return Array.isArray(list) && list.length > maxLength;
}
