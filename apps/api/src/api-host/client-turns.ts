import type { ServerResponse } from 'node:http';
import type { Caller, Core } from '@berth/core';
import pLimit, { type LimitFunction } from 'p-limit';
import { clientOf } from './clients.ts';

/** How many expensive steps of one client run at once in this process. */
const AT_ONCE = 2;

const limits = new WeakMap<Core, Map<string, LimitFunction>>();

/**
 * Runs an expensive step of a request. Each client (an account or an address) has a few at once; its others wait their
 * turn in order, so that one client cannot take all connections to the database, or all of the processor.
 *
 * The step must not wait for a step of another request, because that one may wait for this turn.
 *
 * @throws what the step throws.
 */
export async function inClientTurn<T>(core: Core, caller: Caller, step: () => Promise<T>): Promise<T> {
  const ofCore = limits.get(core) ?? new Map<string, LimitFunction>();
  limits.set(core, ofCore);
  const client = clientOf(caller);
  const limit = ofCore.get(client) ?? pLimit(AT_ONCE);
  ofCore.set(client, limit);
  try {
    return await limit(step);
  } finally {
    if (limit.activeCount + limit.pendingCount === 0 && ofCore.get(client) === limit) ofCore.delete(client);
  }
}

/** Like {@link inClientTurn} for the rest of a request: resolves when its turn begins, which lasts until its answer ends. */
export function beginClientTurn(core: Core, caller: Caller, res: ServerResponse): Promise<void> {
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  void inClientTurn(core, caller, () => {
    begin();
    return new Promise<void>((end) => {
      if (res.closed) end();
      else res.once('close', end);
    });
  });
  return begun;
}
