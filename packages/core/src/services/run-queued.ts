import pLimit, { type LimitFunction } from 'p-limit';
import type { Core } from '../core.ts';

const queues = new WeakMap<Core, Map<string, LimitFunction>>();

/**
 * Runs work as soon as fewer than `atOnce` tasks with the same key are running in this process. Tasks start in order. A
 * failed task does not block later tasks.
 *
 * @param atOnce Must be the same for every task with this key. Default: 1.
 */
export async function runQueued<T>(core: Core, key: string, work: () => Promise<T>, atOnce = 1): Promise<T> {
  const coreQueues = queues.get(core) ?? new Map<string, LimitFunction>();
  queues.set(core, coreQueues);
  const queue = coreQueues.get(key) ?? pLimit(atOnce);
  coreQueues.set(key, queue);
  try {
    return await queue(work);
  } finally {
    if (queue.activeCount + queue.pendingCount === 0 && coreQueues.get(key) === queue) coreQueues.delete(key);
  }
}
