import type { ServerResponse } from 'node:http';
import { type Caller, type Core, runQueued } from '@berth/core';
import { clientOf } from './clients.ts';

/** How many expensive steps of one client run at once in this process. */
const AT_ONCE = 2;

/**
 * Runs an expensive step of a request. Each client (an account or an address) has a few at once; its others wait their
 * turn in order, so that one client cannot take all connections to the database, or all of the processor.
 *
 * The step must not wait for a step of another request, because that one may wait for this turn.
 *
 * @throws what the step throws.
 */
export async function inClientTurn<T>(core: Core, caller: Caller, step: () => Promise<T>): Promise<T> {
  return runQueued(core, `client:${clientOf(caller)}`, step, AT_ONCE);
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
