import type { ServerResponse } from 'node:http';
import type { Caller, Core } from '@berth/core';
import { clientOf } from './clients.ts';

/** The bytes that the requests of one client may have in memory at once, if there are several. */
const MAX_CLIENT_BYTES = 4 * 1024 ** 2;

/** A request that holds memory. */
interface Holder {
  bytes: number;
  /** Called when another request of the client has freed its memory. */
  wake: () => void;
}

/** The requests of each client that hold memory, oldest first. */
const holders = new WeakMap<Core, Map<string, Holder[]>>();

/** Reserves bytes that arrived. Returns a promise when the sender must pause until it resolves. */
export type ReserveMemory = (bytes: number) => Promise<void> | undefined;

/**
 * Bounds the memory that the bodies of one client (an account or an address) take in this process: when it is used up,
 * further bodies are read once earlier requests are answered. The oldest request of a client never waits, because its
 * size has a limit already.
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
    // It has no end that could free the memory.
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
