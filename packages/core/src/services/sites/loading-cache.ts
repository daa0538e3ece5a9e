import { LRUCache } from 'lru-cache';
import { createRecentKeys } from './recent-keys.ts';
import { createSieve } from './sieve.ts';

/** What is kept of something that is loaded by a key. `null` is kept too: that there is nothing. */
export interface LoadingCache<T extends object> {
  /** What is kept; `undefined` when nothing is known of the key. */
  peek(key: string): T | null | undefined;
  /**
   * What is kept, or else what loading gives. However many ask for a key at once, it is loaded once. What is forgotten while it
   * is loaded still answers those who asked before, and is not kept.
   *
   * A value is kept when it was loaded twice lately: most are asked for once in a while, and would only push out those that
   * are asked for all the time. One that is larger than all values may be is kept beside them at once, until the next one of
   * that size. That there is nothing is kept at once, for a short time.
   *
   * @throws what loading does.
   */
  get(key: string, load: () => Promise<T | null>): T | null | Promise<T | null>;
  /** Loads a key whatever is kept of it, which stays until the load succeeds. */
  reload(key: string, load: () => Promise<T | null>): Promise<T | null>;
  /** Forgets a key: whoever asks from now on has it loaded. */
  forget(key: string): void;
  clear(): void;
}

/** What a {@link LoadingCache} is made of. */
export interface LoadingCacheParts<T extends object> {
  /**
   * How much memory all values may take, by {@link sizeOf}, in bytes; what was not asked for lately goes first. One value
   * that is larger than this is kept besides.
   */
  maxBytes: number;
  /** What a value takes in memory, roughly, its key included. */
  sizeOf(value: T): number;
  /** For how long it is believed that there is nothing. Default: 5 s. */
  absentMs?: number;
}

/** That there is nothing is believed for a short time, of so many keys at most: anybody can ask for keys without end. */
const MOST_ABSENT = 10_000;
const ABSENT_MS = 5_000;
/** What is loaded again within so many loads is kept. */
const LATELY = 8_000;

/** Makes a cache, empty. */
export function createLoadingCache<T extends object>({
  maxBytes,
  sizeOf,
  absentMs = ABSENT_MS,
}: LoadingCacheParts<T>): LoadingCache<T> {
  const kept = createSieve(maxBytes, sizeOf);
  const absent = new LRUCache<string, true>({ max: MOST_ABSENT, ttl: absentMs });
  const loading = new Map<string, Promise<T | null>>();
  const lately = createRecentKeys(LATELY);
  let oversized: { key: string; value: T } | null = null;

  function peek(key: string): T | null | undefined {
    const value = kept.get(key) ?? (oversized?.key === key ? oversized.value : undefined);
    return value ?? (absent.size > 0 && absent.has(key) ? null : undefined);
  }

  async function loadOnce(key: string, load: () => Promise<T | null>): Promise<T | null> {
    const mine = load();
    loading.set(key, mine);
    try {
      const value = await mine;
      if (loading.get(key) === mine) {
        discard(key);
        if (value === null) absent.set(key, true);
        else if (sizeOf(value) > maxBytes) oversized = { key, value };
        else if (lately.isRepeated(key)) kept.set(key, value);
      }
      return value;
    } finally {
      if (loading.get(key) === mine) loading.delete(key);
    }
  }

  function discard(key: string): void {
    kept.delete(key);
    if (oversized?.key === key) oversized = null;
    absent.delete(key);
  }

  function forget(key: string): void {
    discard(key);
    loading.delete(key);
  }

  return {
    peek,
    get(key, load) {
      const underWay = loading.get(key);
      if (underWay) return underWay;
      const known = peek(key);
      return known === undefined ? loadOnce(key, load) : known;
    },
    reload: loadOnce,
    forget,
    clear() {
      kept.clear();
      oversized = null;
      absent.clear();
      loading.clear();
    },
  };
}
