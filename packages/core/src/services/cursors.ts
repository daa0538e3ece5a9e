import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Core } from '../core.ts';
import { invalid } from '../errors.ts';

const MAC_BYTES = 16;
const VERSION = 1;

/** Where a page ends: the sort key of its last row. */
export type PageKey = readonly (string | number)[];

/** What a cursor belongs to. One of another account or list is refused like a forged one. */
export interface CursorScope {
  core: Core;
  account: string;
  list: string;
}

function macOf({ core, account, list }: CursorScope, key: Buffer): Buffer {
  return createHmac('sha256', core.keys.cursor)
    .update(JSON.stringify([VERSION, account, list]))
    .update(key)
    .digest()
    .subarray(0, MAC_BYTES);
}

/** Makes the opaque, URL-safe, tamper-evident cursor of a page. Source: contract §1; security T23. */
export function encodeCursor(scope: CursorScope, key: PageKey): string {
  const bytes = Buffer.from(JSON.stringify(key));
  return Buffer.concat([macOf(scope, bytes), bytes]).toString('base64url');
}

/**
 * Reads a cursor back.
 *
 * @throws `validation_failed` for anything that {@link encodeCursor} did not make for this very scope.
 */
export function decodeCursor(scope: CursorScope, cursor: string): PageKey {
  const bytes = Buffer.from(cursor, 'base64url');
  const key = bytes.subarray(MAC_BYTES);
  const genuine =
    bytes.length > MAC_BYTES &&
    bytes.toString('base64url') === cursor &&
    timingSafeEqual(bytes.subarray(0, MAC_BYTES), macOf(scope, key));
  if (!genuine) throw invalid('cursor', 'must be the nextCursor of an earlier page of this list');
  return JSON.parse(key.toString()) as PageKey;
}

/** Splits what was read into one page and, when a row too many was there, the cursor of the next. */
export function toPage<T>(
  scope: CursorScope,
  rows: T[],
  limit: number,
  keyOf: (row: T) => PageKey,
): { rows: T[]; nextCursor?: string } {
  if (rows.length <= limit) return { rows };
  const page = rows.slice(0, limit);
  return { rows: page, nextCursor: encodeCursor(scope, keyOf(page.at(-1)!)) };
}

/**
 * What comes after a row in a list that is newest first, by creation and then by id.
 *
 * The first bound alone tells an index where to begin: without it every page would read those before it again.
 */
export function olderThan<T extends string | number>(created: Date, id: T) {
  return { created: { $lte: created }, $or: [{ created: { $lt: created } }, { id: { $lt: id } }] };
}
