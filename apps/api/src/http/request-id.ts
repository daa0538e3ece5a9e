import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';

const DIGITS_PER_ID = 32;
/** The random digits of this many ids are generated together, because each call to the generator is expensive. */
const IDS_AT_ONCE = 256;
let randomDigits = '';
let usedCount = 0;

/** Returns a new value for `X-Request-Id`: 32 hex digits. Source: api §2. */
export function requestId(): string {
  if (usedCount === randomDigits.length) {
    randomDigits = randomBytes((IDS_AT_ONCE * DIGITS_PER_ID) / 2).toString('hex');
    usedCount = 0;
  }
  return randomDigits.slice(usedCount, (usedCount += DIGITS_PER_ID));
}

const REQUEST_ID = Symbol('X-Request-Id');

/**
 * Assigns an id to the request of a response. The code that writes the head must send the id as `X-Request-Id`. Setting
 * the header here would make writing the head too slow for sites.
 */
export function nameRequest(res: ServerResponse & { [REQUEST_ID]?: string }): void {
  res[REQUEST_ID] = requestId();
}

/** Returns the id that was assigned to the request of a response; empty without an id. */
export function requestIdOf(res: ServerResponse & { [REQUEST_ID]?: string }): string {
  return res[REQUEST_ID] ?? '';
}

/** Sets the `X-Request-Id` header of every response, as middleware. */
export function showRequestId(_req: unknown, res: ServerResponse, next: () => void): void {
  res.setHeader('X-Request-Id', requestIdOf(res));
  next();
}
