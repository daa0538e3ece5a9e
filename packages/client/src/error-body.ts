import type { ErrorBody, InputIssue, SizeLimit } from '@berth/contract';

// The console loads this module before anything else. It reads without the schemas of the contract, which would add a third to the
// scripts of each page. A test holds both to the same answers.

type Fields = Readonly<Record<string, unknown>>;

/** Returns the body of an error response; `null` if it has another shape. */
export function readErrorBody(data: unknown): ErrorBody | null {
  const { error, message, status, details } = fieldsOf(data);
  if (typeof error !== 'string' || typeof message !== 'string' || !isInteger(status)) return null;
  if (details !== undefined && !isObject(details)) return null;
  return { error, message, status, details };
}

/** Returns the invalid fields or files that the details of an error list; `null` for other details. */
export function readIssues(details: unknown): InputIssue[] | null {
  const { issues, file } = fieldsOf(details);
  if (!Array.isArray(issues) || !isOptionalText(file)) return null;
  return issues.every(isIssue) ? issues : null;
}

/** Returns the cap that the details of a 403 name; `null` for other details. */
export function readCap(details: unknown): { cap: string; used: number; limit: number } | null {
  const { cap, used, limit } = fieldsOf(details);
  return typeof cap === 'string' && isInteger(used) && isInteger(limit) ? { cap, used, limit } : null;
}

/** Returns the limit that the details of a 413 name, if it is one of these limits; `null` for other details. */
export function readSizeLimit(
  details: unknown,
  limits: Readonly<Record<SizeLimit, unknown>>,
): { limit: SizeLimit; max: number } | null {
  const { limit, max, file } = fieldsOf(details);
  if (typeof limit !== 'string' || !Object.hasOwn(limits, limit) || !isInteger(max) || !isOptionalText(file))
    return null;
  return { limit: limit as SizeLimit, max };
}

function fieldsOf(value: unknown): Fields {
  return isObject(value) ? value : {};
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isIssue(value: unknown): value is InputIssue {
  const { path, message } = fieldsOf(value);
  return typeof path === 'string' && typeof message === 'string';
}

function isInteger(value: unknown): value is number {
  return Number.isSafeInteger(value);
}

function isOptionalText(value: unknown): boolean {
  return value === undefined || typeof value === 'string';
}
