import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';

const DIGITS = 32;
/** Random digits for so many ids are drawn at once: drawing is what takes time. */
const IDS_AT_ONCE = 256;
let digits = '';
let used = 0;

/** A new value for `X-Request-Id`, 32 hex digits: what a client quotes and the log is searched for. Source: contract §2. */
export function requestId(): string {
  if (used === digits.length) {
    digits = randomBytes((IDS_AT_ONCE * DIGITS) / 2).toString('hex');
    used = 0;
  }
  return digits.slice(used, (used += DIGITS));
}

const ID = Symbol('X-Request-Id');

/**
 * Gives the request that a response answers its id. It is no header yet: whoever writes the head sends it as
 * `X-Request-Id`. A header that is set on a response makes writing its whole head slow, which sites cannot afford.
 */
export function nameRequest(res: ServerResponse & { [ID]?: string }): void {
  res[ID] = requestId();
}

/** The id of the request that a response answers; empty when it has none. */
export function requestIdOf(res: ServerResponse & { [ID]?: string }): string {
  return res[ID] ?? '';
}

/** Middleware that sets the id as a header, whatever the answer will be. */
export function showRequestId(_req: unknown, res: ServerResponse, next: () => void): void {
  res.setHeader('X-Request-Id', requestIdOf(res));
  next();
}
