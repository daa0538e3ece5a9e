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
 * Bounds the memory that the bodies of one client (an account or an address) take in this process. Bodies beyond it
 * wait for the responses to earlier requests. The oldest request of a client never waits, because each body has a
 * maximum size.
 */
export function reserveMemory(res: ServerResponse, core: Core, caller: Caller): ReserveMemory {
  const ofCore = holders.get(core) ?? new Map<string, Holder[]>();
  holders.set(core, ofCore);
  const client = clientOf(caller);
  const holder: Holder = { bytes: 0, wake: () => {} };
  const others = () => ofCore.get(client) ?? [];

  const hasRoom = (bytes: number) => {
    const all = others();
    return all[0] === holder || all.reduce((sum, one) => sum + one.bytes, bytes) <= MAX_CLIENT_BYTES;
  };
  const free = () => {
    const rest = others().filter((one) => one !== holder);
    if (rest.length > 0) ofCore.set(client, rest);
    else ofCore.delete(client);
    for (const { wake } of [...rest, holder]) wake();
  };
  const waitForRoom = async (bytes: number) => {
    while (!res.closed && !hasRoom(bytes)) await new Promise<void>((wake) => (holder.wake = wake));
    holder.bytes += bytes;
  };

  return (bytes) => {
    // A closed response emits no further event that would free the memory.
    if (res.closed) return undefined;
    if (!others().includes(holder)) {
      ofCore.set(client, [...others(), holder]);
      res.once('close', free);
    }
    if (!hasRoom(bytes)) return waitForRoom(bytes);
    holder.bytes += bytes;
    return undefined;
  };
}
