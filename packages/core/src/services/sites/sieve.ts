/** A value that is kept, in a list from the newest to the oldest. */
interface Entry<T> {
  key: string;
  value: T;
  bytes: number;
  /** Whether it was asked for since it came, or since it was spared. */
  isVisited: boolean;
  newer: Entry<T> | null;
  older: Entry<T> | null;
}

/** What is kept by key, bounded in bytes. */
export interface Sieve<T> {
  get(key: string): T | undefined;
  /** Keeps a value, in place of what was there. One that is larger than everything may be is not kept. */
  set(key: string, value: T): void;
  delete(key: string): void;
  clear(): void;
}

/**
 * A cache that makes room by SIEVE: a hand goes round from the oldest entry to the newest, spares what was asked for since
 * it came by last, and takes the first that was not. Asking costs one look into a map and one flag, where a list in the
 * order of use would be written to each time.
 *
 * @param maxBytes How much all values may take, by `sizeOf`.
 * Source: Zhang et al., "SIEVE is simpler than LRU", NSDI 2024.
 */
export function createSieve<T>(maxBytes: number, sizeOf: (value: T) => number): Sieve<T> {
  const entries = new Map<string, Entry<T>>();
  let newest: Entry<T> | null = null;
  let oldest: Entry<T> | null = null;
  let hand: Entry<T> | null = null;
  let bytes = 0;

  function remove(entry: Entry<T>): void {
    const { newer, older } = entry;
    if (newer) newer.older = older;
    else newest = older;
    if (older) older.newer = newer;
    else oldest = newer;
    if (hand === entry) hand = newer;
    bytes -= entry.bytes;
    entries.delete(entry.key);
  }

  function makeRoom(): void {
    let candidate = hand ?? oldest;
    while (candidate?.isVisited) {
      candidate.isVisited = false;
      candidate = candidate.newer ?? oldest;
    }
    if (!candidate) return;
    hand = candidate.newer;
    remove(candidate);
  }

  function forget(key: string): void {
    const entry = entries.get(key);
    if (entry) remove(entry);
  }

  return {
    get(key) {
      const entry = entries.get(key);
      if (!entry) return undefined;
      entry.isVisited = true;
      return entry.value;
    },
    set(key, value) {
      forget(key);
      const size = sizeOf(value);
      if (size > maxBytes) return;
      while (bytes + size > maxBytes) makeRoom();
      const entry: Entry<T> = { key, value, bytes: size, isVisited: false, newer: null, older: newest };
      if (newest) newest.newer = entry;
      newest = entry;
      oldest ??= entry;
      bytes += size;
      entries.set(key, entry);
    },
    delete: forget,
    clear() {
      entries.clear();
      newest = oldest = hand = null;
      bytes = 0;
    },
  };
}
