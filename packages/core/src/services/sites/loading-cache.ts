import { LRUCache } from 'lru-cache';
import { cacheBytes, cacheEvictions, cacheHits, cacheMisses, type CacheName } from '../../metrics.ts';
import { createSieve } from './sieve.ts';

/** A cache of values that are loaded by key. `null` stands for an absent value, and is cached too. */
export interface LoadingCache<T extends object> {
  /** The cached value; `undefined` if neither the value nor its absence is cached. */
  peek(key: string): T | null | undefined;
  /**
   * Returns the cached value, or loads it. Concurrent requests for a key cause one load. If the key is forgotten during
   * the load, these requests still get the value, but the value is not cached.
   *
   * A value is cached when it was loaded twice within a short period, so that rarely requested values do not evict
   * frequently requested ones. The last value that is larger than the whole cache is kept beside the cache. The absence
   * of a value is cached at once, for a short time.
   *
   * @throws the errors of `load`.
   */
  get(key: string, load: () => Promise<T | null>): T | null | Promise<T | null>;
  /** Loads a key even if it is cached. The cached value stays until the load succeeds. */
  reload(key: string, load: () => Promise<T | null>): Promise<T | null>;
  forget(key: string): void;
  /** Forgets the values that match, all absent values, and the values that are being loaded. */
  forgetWhere(matches: (value: T) => boolean): void;
  clear(): void;
}

interface LoadingCacheOptions<T extends object> {
  /** The name of the cache in the metrics. */
  name: CacheName;
  /** The maximum memory for all values, by {@link sizeOf}. Values that were not requested recently are evicted first. */
  maxBytes: number;
  /** The approximate size in memory of a value and its key, in bytes. */
  sizeOf(value: T): number;
  /** How long the absence of a value is cached, in milliseconds. Default: 5,000. */
  absentMs?: number;
}

/** The maximum number of absent keys in the cache, because anybody can request any number of keys. */
const MAX_ABSENT_KEYS = 10_000;
const ABSENT_MS = 5_000;
/** A value is cached if it is loaded again within this number of loads. */
const RECENT_LOADS = 8_000;

export function createLoadingCache<T extends object>({
  name,
  maxBytes,
  sizeOf,
  absentMs = ABSENT_MS,
}: LoadingCacheOptions<T>): LoadingCache<T> {
  const [hits, misses] = [cacheHits[name], cacheMisses[name]];
  const cache = createSieve(maxBytes, sizeOf, { bytes: cacheBytes[name], evictions: cacheEvictions[name] });
  // Bounded by size and not by `max`, which would allocate the memory of all keys at once.
  const absent = new LRUCache<string, true>({ maxSize: MAX_ABSENT_KEYS, sizeCalculation: () => 1, ttl: absentMs });
  const loading = new Map<string, Promise<T | null>>();
  const isRepeated = createRecentKeys(RECENT_LOADS);
  let oversized: { key: string; value: T } | null = null;

  function peekValue(key: string): T | null | undefined {
    const value = cache.get(key) ?? (oversized?.key === key ? oversized.value : undefined);
    const found = value ?? (absent.size > 0 && absent.has(key) ? null : undefined);
    if (found !== undefined) hits.value += 1;
    return found;
  }

  async function loadOnce(key: string, load: () => Promise<T | null>): Promise<T | null> {
    misses.value += 1;
    const loadingValue = load();
    loading.set(key, loadingValue);
    try {
      const value = await loadingValue;
      if (loading.get(key) === loadingValue) {
        discard(key);
        if (value === null) absent.set(key, true);
        else if (sizeOf(value) > maxBytes) oversized = { key, value };
        else if (isRepeated(key)) cache.set(key, value);
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

  function forgetKey(key: string): void {
    discard(key);
    loading.delete(key);
  }

  return {
    peek: peekValue,
    get(key, load) {
      const underWay = loading.get(key);
      if (underWay) return underWay;
      const cachedValue = peekValue(key);
      return cachedValue === undefined ? loadOnce(key, load) : cachedValue;
    },
    reload: loadOnce,
    forget: forgetKey,
    forgetWhere(matches) {
      cache.deleteWhere(matches);
      if (oversized && matches(oversized.value)) oversized = null;
      absent.clear();
      loading.clear();
    },
    clear() {
      cache.clear();
      oversized = null;
      absent.clear();
      loading.clear();
    },
  };
}

/**
 * Returns a function that remembers keys and says whether a key is among the remembered ones. It remembers at least the
 * last `minKeys` keys, and at most twice as many.
 */
function createRecentKeys(minKeys: number): (key: string) => boolean {
  let current = new Set<string>();
  let previousKeys = new Set<string>();
  return (key) => {
    if (current.has(key)) return true;
    const isRepeated = previousKeys.has(key);
    if (current.size >= minKeys) [previousKeys, current] = [current, new Set()];
    current.add(key);
    return isRepeated;
  };
}
