import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';

const DIGITS = 32;
/** Random digits are generated for this many ids at once, because each call to the generator is expensive. */
const IDS_AT_ONCE = 256;
let digits = '';
let used = 0;

/**
 * A new value for `X-Request-Id`, 32 hex digits: clients quote it, and operators search the log for it. Source:
 * api §2.
 */
export function requestId(): string {
  if (used === digits.length) {
    digits = randomBytes((IDS_AT_ONCE * DIGITS) / 2).toString('hex');
    used = 0;
  }
  return digits.slice(used, (used += DIGITS));
}

const ID = Symbol('X-Request-Id');

/**
 * Assigns an id to the request of a response. It does not set a header: the code that writes the head must send it as
 * `X-Request-Id`. Setting a header on a response makes writing its whole head slow, which is too expensive for sites.
 */
export function nameRequest(res: ServerResponse & { [ID]?: string }): void {
  res[ID] = requestId();
}

/** The id of the request that a response answers; empty if none was assigned. */
export function requestIdOf(res: ServerResponse & { [ID]?: string }): string {
  return res[ID] ?? '';
}

/** Middleware that sets the id as a header of every answer. */
export function showRequestId(_req: unknown, res: ServerResponse, next: () => void): void {
  res.setHeader('X-Request-Id', requestIdOf(res));
  next();
}
