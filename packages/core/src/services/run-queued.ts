import pLimit, { type LimitFunction } from 'p-limit';
import type { Core } from '../core.ts';

const queues = new WeakMap<Core, Map<string, LimitFunction>>();

/**
 * Runs work once fewer than `atOnce` tasks with the same key run in this process. Tasks start in order. A failed task
 * does not block later ones.
 *
 * @param atOnce The same for every task with this key. Default: 1.
 * @throws what the work throws.
 */
export async function runQueued<T>(core: Core, key: string, work: () => Promise<T>, atOnce = 1): Promise<T> {
  const ofCore = queues.get(core) ?? new Map<string, LimitFunction>();
  queues.set(core, ofCore);
  const queue = ofCore.get(key) ?? pLimit(atOnce);
  ofCore.set(key, queue);
  try {
    return await queue(work);
  } finally {
    if (queue.activeCount + queue.pendingCount === 0 && ofCore.get(key) === queue) ofCore.delete(key);
  }
}
