import type { Series } from '../../instruments.ts';

/** A cached value in a linked list from the newest value to the oldest. */
interface Entry<T> {
  key: string;
  value: T;
  bytes: number;
  /** True if the value was requested since it was added, or since the hand last passed it. */
  isVisited: boolean;
  newer: Entry<T> | null;
  older: Entry<T> | null;
}

/** Counts what happens in a cache. Caches of the same name share one value. */
export interface SieveCounts {
  bytes: Series;
  evictions: Series;
}

export interface Sieve<T> {
  get(key: string): T | undefined;
  /** Adds or replaces a value. A value that is larger than the whole cache is not cached. */
  set(key: string, value: T): void;
  delete(key: string): void;
  deleteWhere(matches: (value: T) => boolean): void;
  clear(): void;
}

/**
 * Creates a cache with SIEVE eviction: a hand moves from the oldest entry to the newest. The hand keeps entries that were
 * requested since it last passed, and evicts the first entry that was not. A request costs one map lookup and one flag;
 * an LRU list would be written on every request.
 *
 * @param maxBytes The maximum size of all values, by `sizeOf`.
 * @param counts Follows the size of all values, and the number of evictions. Default: nothing is counted.
 * Source: https://www.usenix.org/conference/nsdi24/presentation/zhang-yazhuo (SIEVE).
 */
export function createSieve<T>(
  maxBytes: number,
  sizeOf: (value: T) => number,
  counts: SieveCounts = { bytes: { value: 0 }, evictions: { value: 0 } },
): Sieve<T> {
  const entries = new Map<string, Entry<T>>();
  let newestEntry: Entry<T> | null = null;
  let oldestEntry: Entry<T> | null = null;
  let hand: Entry<T> | null = null;
  let bytes = 0;

  function grow(addedBytes: number): void {
    bytes += addedBytes;
    counts.bytes.value += addedBytes;
  }

  function remove(entry: Entry<T>): void {
    const { newer, older } = entry;
    if (newer) newer.older = older;
    else newestEntry = older;
    if (older) older.newer = newer;
    else oldestEntry = newer;
    if (hand === entry) hand = newer;
    grow(-entry.bytes);
    entries.delete(entry.key);
  }

  function makeRoom(): void {
    let candidate = hand ?? oldestEntry;
    while (candidate?.isVisited) {
      candidate.isVisited = false;
      candidate = candidate.newer ?? oldestEntry;
    }
    if (!candidate) return;
    hand = candidate.newer;
    counts.evictions.value += 1;
    remove(candidate);
  }

  function forgetKey(key: string): void {
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
      forgetKey(key);
      const size = sizeOf(value);
      if (size > maxBytes) return;
      while (bytes + size > maxBytes) makeRoom();
      const entry: Entry<T> = { key, value, bytes: size, isVisited: false, newer: null, older: newestEntry };
      if (newestEntry) newestEntry.newer = entry;
      newestEntry = entry;
      oldestEntry ??= entry;
      grow(size);
      entries.set(key, entry);
    },
    delete: forgetKey,
    deleteWhere(matches) {
      for (const entry of entries.values()) if (matches(entry.value)) remove(entry);
    },
    clear() {
      entries.clear();
      newestEntry = oldestEntry = hand = null;
      grow(-bytes);
    },
  };
}
