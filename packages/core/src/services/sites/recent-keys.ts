/** Remembers recent keys. */
export interface RecentKeys {
  /** True if the key is already remembered. Remembers it. */
  isRepeated(key: string): boolean;
}

/** @param minKeys The minimum number of keys that are remembered. The maximum is twice that. */
export function createRecentKeys(minKeys: number): RecentKeys {
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
