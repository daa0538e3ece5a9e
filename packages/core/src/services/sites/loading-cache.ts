import { LRUCache } from 'lru-cache';
import { createSieve } from './sieve.ts';

/** A cache of values that are loaded by key. The absence of a value, `null`, is cached too. */
export interface LoadingCache<T extends object> {
  /** The cached value; `undefined` if the cache knows nothing about the key. */
  peek(key: string): T | null | undefined;
  /**
   * Returns the cached value, or loads it. Concurrent requests for a key cause one load. A key that is forgotten while
   * it is being loaded still answers the earlier requests, and is not cached.
   *
   * A value is cached when it was loaded twice within a short period: most keys are rarely requested and would only
   * evict frequently requested ones. A value that is larger than the whole cache is kept beside it at once, until the
   * next value of that kind. The absence of a value is cached at once, for a short time.
   *
   * @throws the errors of `load`.
   */
  get(key: string, load: () => Promise<T | null>): T | null | Promise<T | null>;
  /** Loads a key even if it is cached. The cached value stays until the load succeeds. */
  reload(key: string, load: () => Promise<T | null>): Promise<T | null>;
  /** Forgets a key. The next request loads it. */
  forget(key: string): void;
  clear(): void;
}

/** The options of a {@link LoadingCache}. */
export interface LoadingCacheOptions<T extends object> {
  /**
   * The maximum memory for all values, by {@link sizeOf}, in bytes. Values that were not requested recently are evicted
   * first. In addition, one value that is larger than this is kept.
   */
  maxBytes: number;
  /** The size of a value in memory, roughly, its key included. */
  sizeOf(value: T): number;
  /** How long the absence of a value is cached. Default: 5 s. */
  absentMs?: number;
}

/** The maximum number of absent keys in the cache. Bounded because anybody can request endless different keys. */
const MAX_ABSENT = 10_000;
const ABSENT_MS = 5_000;
/** A value that is loaded again within this many loads is cached. */
const RECENT_LOADS = 8_000;

/** Creates an empty cache. */
export function createLoadingCache<T extends object>({
  maxBytes,
  sizeOf,
  absentMs = ABSENT_MS,
}: LoadingCacheOptions<T>): LoadingCache<T> {
  const cache = createSieve(maxBytes, sizeOf);
  const absent = new LRUCache<string, true>({ max: MAX_ABSENT, ttl: absentMs });
  const loading = new Map<string, Promise<T | null>>();
  const recentKeys = createRecentKeys(RECENT_LOADS);
  let oversized: { key: string; value: T } | null = null;

  function peek(key: string): T | null | undefined {
    const value = cache.get(key) ?? (oversized?.key === key ? oversized.value : undefined);
    return value ?? (absent.size > 0 && absent.has(key) ? null : undefined);
  }

  async function loadOnce(key: string, load: () => Promise<T | null>): Promise<T | null> {
    const loadingValue = load();
    loading.set(key, loadingValue);
    try {
      const value = await loadingValue;
      if (loading.get(key) === loadingValue) {
        discard(key);
        if (value === null) absent.set(key, true);
        else if (sizeOf(value) > maxBytes) oversized = { key, value };
        else if (recentKeys.isRepeated(key)) cache.set(key, value);
      }
      return value;
    } finally {
      if (loading.get(key) === loadingValue) loading.delete(key);
    }
  }

  function discard(key: string): void {
    cache.delete(key);
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
      cache.clear();
      oversized = null;
      absent.clear();
      loading.clear();
    },
  };
}

/** Remembers recent keys. */
interface RecentKeys {
  /** True if the key is already remembered. Remembers it. */
  isRepeated(key: string): boolean;
}

/** @param minKeys The minimum number of keys that are remembered. The maximum is twice that. */
function createRecentKeys(minKeys: number): RecentKeys {
  let current = new Set<string>();
  let before = new Set<string>();
  return {
    isRepeated(key) {
      if (current.has(key)) return true;
      const isRepeated = before.has(key);
      if (current.size >= minKeys) [before, current] = [current, new Set()];
      current.add(key);
      return isRepeated;
    },
  };
}
