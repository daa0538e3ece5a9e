import type { ServerResponse } from 'node:http';
import { type Caller, type Core, ServiceError } from '@berth/core';

/** Bytes of JSON bodies that one client may have in memory at once, unless its plan allows a larger body. */
const MAX_CLIENT_BYTES = 32 * 1024 ** 2;

/** Bytes in memory, by client. */
const reserved = new WeakMap<Core, Map<string, number>>();

/**
 * Bounds the memory that JSON bodies of one client (an account or an address) take in this process. A request frees its
 * memory when its answer ends.
 *
 * @param maxBytes The largest body that the client may send; one such body always fits.
 * @returns A function that reserves bytes that arrived. It throws `rate_limit_exceeded` when the client's other
 *   requests leave no room.
 */
export function reserveMemory(
  res: ServerResponse,
  core: Core,
  caller: Caller,
  maxBytes: number,
): (bytes: number) => void {
  const ofCore = reserved.get(core) ?? new Map<string, number>();
  reserved.set(core, ofCore);
  const client = caller.kind === 'account' ? `account:${caller.account}` : `address:${caller.address}`;
  const limit = Math.max(MAX_CLIENT_BYTES, maxBytes);
  let own = 0;
  const release = () => {
    const rest = (ofCore.get(client) ?? 0) - own;
    if (rest > 0) ofCore.set(client, rest);
    else ofCore.delete(client);
  };
  return (bytes) => {
    const all = (ofCore.get(client) ?? 0) + bytes;
    if (all > limit)
      throw new ServiceError('rate_limit_exceeded', 'Too many large requests at once: send them one after another.', {
        retryAfterSeconds: 1,
      });
    if (own === 0) res.once('close', release);
    own += bytes;
    ofCore.set(client, all);
  };
}
