/** Keys that came lately. */
export interface RecentKeys {
  /** Whether a key has come lately; from now on it has. */
  isRepeated(key: string): boolean;
}

/** @param most How many keys are remembered at least; twice as many at most. */
export function createRecentKeys(most: number): RecentKeys {
  let current = new Set<string>();
  let before = new Set<string>();
  return {
    isRepeated(key) {
      if (current.has(key)) return true;
      const isRepeated = before.has(key);
      if (current.size >= most) [before, current] = [current, new Set()];
      current.add(key);
      return isRepeated;
    },
  };
}
