import type { ServerResponse } from 'node:http';
import { type Caller, clientOf, type Core } from '@berth/core';

/** If a client has several requests, they may hold this many bytes of memory together. */
const MAX_CLIENT_BYTES = 4 * 1024 ** 2;

interface Holder {
  bytes: number;
  /** Called after another request of the client freed its memory. */
  wake: () => void;
}

/** For each client, the requests that hold memory, oldest first. */
const holders = new WeakMap<Core, Map<string, Holder[]>>();

/** Reserves memory for bytes. If it returns a promise, the request must be paused until the promise resolves. */
export type ReserveMemory = (bytes: number) => Promise<void> | undefined;

/**
 * Bounds the memory that the bodies of one client (an account or an address) take in this process. Bodies beyond this bound wait for the responses to earlier requests. The oldest request of a client never waits, because each body has a
 * maximum size.
 */
export function reserveMemory(res: ServerResponse, core: Core, caller: Caller): ReserveMemory {
  const ofCore = holders.get(core) ?? new Map<string, Holder[]>();
  holders.set(core, ofCore);
  const client = clientOf(caller);
  const holder: Holder = { bytes: 0, wake: () => {} };
  const otherHolders = () => ofCore.get(client) ?? [];

  const hasRoom = (bytes: number) => {
    const allHolders = otherHolders();
    return allHolders[0] === holder || allHolders.reduce((sum, one) => sum + one.bytes, bytes) <= MAX_CLIENT_BYTES;
  };
  const freeMemory = () => {
    const remainingHolders = otherHolders().filter((one) => one !== holder);
    if (remainingHolders.length > 0) ofCore.set(client, remainingHolders);
    else ofCore.delete(client);
    for (const { wake } of [...remainingHolders, holder]) wake();
  };
  const waitForRoom = async (bytes: number) => {
    while (!res.closed && !hasRoom(bytes)) await new Promise<void>((wake) => (holder.wake = wake));
    holder.bytes += bytes;
  };

  return (bytes) => {
    // A closed response emits no further event that would free the memory.
    if (res.closed) return undefined;
    if (!otherHolders().includes(holder)) {
      ofCore.set(client, [...otherHolders(), holder]);
      res.once('close', freeMemory);
    }
    if (!hasRoom(bytes)) return waitForRoom(bytes);
    holder.bytes += bytes;
    return undefined;
  };
}
