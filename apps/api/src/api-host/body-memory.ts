import type { ServerResponse } from 'node:http';
import { type Caller, clientOf, type Core } from '@berth/core';

/** What the memory is for: parts, their names and whatever else is kept until the response, or contents on their way to the disk. */
type MemoryKind = 'parts' | 'contents';

/** If a client has several requests, they may hold this many bytes of memory together. */
const MAX_CLIENT_BYTES: Readonly<Record<MemoryKind, number>> = { parts: 4 * 1024 ** 2, contents: 16 * 1024 ** 2 };

/** The bytes that one request holds. */
type Holder = Record<MemoryKind, number>;

/** A reservation that waits until other requests of the client free their memory. */
interface Waiting {
  holder: Holder;
  kind: MemoryKind;
  bytes: number;
  begin: () => void;
}

/** The memory that the requests of one client hold. */
interface ClientMemory {
  /** Oldest first. */
  holders: Set<Holder>;
  heldBytes: Record<MemoryKind, number>;
  waiting: Waiting[];
}

const clients = new WeakMap<Core, Map<string, ClientMemory>>();

/**
 * Reserves memory for bytes. If it returns a promise, the request must be paused until the promise resolves.
 *
 * @param kind Default: `parts`.
 */
export type ReserveMemory = (bytes: number, kind?: MemoryKind) => Promise<void> | undefined;

/**
 * Bounds the memory that the bodies of one client (an account or an address) take in this process. Bodies beyond this bound wait for
 * the responses to earlier requests. The oldest request of a client never waits, because each body has a maximum size.
 */
export function reserveMemory(res: ServerResponse, core: Core, caller: Caller): ReserveMemory {
  const ofCore = clients.get(core) ?? new Map<string, ClientMemory>();
  clients.set(core, ofCore);
  const client = clientOf(caller);
  const holder: Holder = { parts: 0, contents: 0 };

  function hold(): ClientMemory {
    const memory = ofCore.get(client) ?? { holders: new Set(), heldBytes: { parts: 0, contents: 0 }, waiting: [] };
    if (memory.holders.has(holder)) return memory;
    ofCore.set(client, memory);
    memory.holders.add(holder);
    res.once('close', () => {
      free(memory, holder);
      if (memory.holders.size === 0) ofCore.delete(client);
    });
    return memory;
  }

  return (bytes, kind = 'parts') => {
    // A closed response emits no further event that would free the memory.
    if (res.closed) return undefined;
    const memory = hold();
    if (take(memory, holder, kind, bytes)) return undefined;
    return new Promise<void>((begin) => memory.waiting.push({ holder, kind, bytes, begin }));
  };
}

/** Takes memory if there is room. One request is the oldest for both kinds, so that no two requests wait for each other. */
function take({ holders, heldBytes }: ClientMemory, holder: Holder, kind: MemoryKind, bytes: number): boolean {
  const [oldestHolder] = holders;
  if (holder !== oldestHolder && heldBytes[kind] + bytes > MAX_CLIENT_BYTES[kind]) return false;
  holder[kind] += bytes;
  heldBytes[kind] += bytes;
  return true;
}

/** Frees the memory of a request that has ended, and gives it to those that wait, in their order. */
function free(memory: ClientMemory, ended: Holder): void {
  memory.holders.delete(ended);
  memory.heldBytes.parts -= ended.parts;
  memory.heldBytes.contents -= ended.contents;
  const waiting = memory.waiting;
  memory.waiting = waiting.filter(({ holder, kind, bytes, begin }) => {
    const mayBegin = holder === ended || take(memory, holder, kind, bytes);
    if (mayBegin) begin();
    return !mayBegin;
  });
}
