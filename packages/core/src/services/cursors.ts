import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Core } from '../core.ts';
import { invalid } from '../errors.ts';

const MAC_BYTES = 16;
const CURSOR_VERSION = 1;

type PageKey = readonly (string | number)[];

/** The account and list that a cursor is valid for. */
export interface CursorScope {
  core: Core;
  account: string;
  list: string;
}

function macOf({ core, account, list }: CursorScope, key: Buffer): Buffer {
  return createHmac('sha256', core.keys.cursor)
    .update(JSON.stringify([CURSOR_VERSION, account, list]))
    .update(key)
    .digest()
    .subarray(0, MAC_BYTES);
}

/** Encodes the end of a page as an opaque, URL-safe and signed cursor. Source: api §1; security T23. */
export function encodeCursor(scope: CursorScope, key: PageKey): string {
  const bytes = Buffer.from(JSON.stringify(key));
  return Buffer.concat([macOf(scope, bytes), bytes]).toString('base64url');
}

/** @throws `validation_failed` unless {@link encodeCursor} made the cursor for the same scope. */
export function decodeCursor(scope: CursorScope, cursor: string): PageKey {
  const bytes = Buffer.from(cursor, 'base64url');
  const key = bytes.subarray(MAC_BYTES);
  const isGenuine =
    bytes.length > MAC_BYTES &&
    bytes.toString('base64url') === cursor &&
    timingSafeEqual(bytes.subarray(0, MAC_BYTES), macOf(scope, key));
  if (!isGenuine) throw invalid('cursor', 'the cursor must be the nextCursor of an earlier page of this list');
  return JSON.parse(key.toString()) as PageKey;
}

/** Makes a page of at most `limit` rows. If there are more rows, the page has a cursor for the next page. */
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

/** The values of a statement, in the order in which its text names them. */
export class Values {
  readonly list: unknown[];

  /** @param first The values of `$1`, `$2` and so on, which the text names itself. */
  constructor(...first: unknown[]) {
    this.list = first;
  }

  /** Adds a value. @returns Its place in the text, such as `$2`. */
  add(value: unknown): string {
    return `$${this.list.push(value)}`;
  }
}
