import { randomUUID } from 'node:crypto';

/** A new value for `X-Request-Id`: what a client quotes and the log is searched for. Source: contract §2. */
export function requestId(): string {
  return randomUUID();
}
