import type { Core } from '../core.ts';

const queues = new WeakMap<Core, Map<string, Promise<void>>>();

/**
 * Runs work after all earlier work with the same key in this process. So large data is in memory only once at a time,
 * and each run can use the results of the one before.
 */
export async function runQueued<T>(core: Core, key: string, work: () => Promise<T>): Promise<T> {
  const queue = queues.get(core) ?? new Map<string, Promise<void>>();
  queues.set(core, queue);
  const result = (queue.get(key) ?? Promise.resolve()).then(work);
  const done = result.then(
    () => {},
    () => {},
  );
  queue.set(key, done);
  try {
    return await result;
  } finally {
    if (queue.get(key) === done) queue.delete(key);
  }
}
