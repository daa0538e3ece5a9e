import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';

/** A new value for `X-Request-Id`: what a client quotes and the log is searched for. Source: contract §2. */
export function requestId(): string {
  return randomUUID();
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
