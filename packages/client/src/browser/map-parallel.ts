import pLimit from 'p-limit';

/**
 * Maps items, several at once. After a failure, no further item is started.
 *
 * @returns The results, in the order of the items.
 * @throws the first failure.
 */
export function mapParallel<T, R>(items: Iterable<T>, atOnce: number, map: (item: T) => Promise<R>): Promise<R[]> {
  const limit = pLimit(atOnce);
  return limit.map(items, async (item) => {
    try {
      return await map(item);
    } catch (error) {
      limit.clearQueue();
      throw error;
    }
  });
}
