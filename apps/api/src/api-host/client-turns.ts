import type { ServerResponse } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { type Caller, clientOf, type Core, runQueued } from '@berth/core';

/** Maximum number of expensive steps of one client that run in this process at the same time. */
const MAX_CONCURRENT_TURNS = 2;
/** How long the body of a request delays the next request of the same client at most, in milliseconds. */
const PACE_MS = 20;

/**
 * Runs an expensive step of a request. Further steps of the same client (an account or an address) are queued, so that
 * one client cannot take all database connections or the whole processor. A step must not wait for a step of another
 * request, which may be queued behind it.
 *
 * @throws what the step throws.
 */
export async function inClientTurn<T>(core: Core, caller: Caller, step: () => Promise<T>): Promise<T> {
  return runQueued(core, `client:${clientOf(caller)}`, step, MAX_CONCURRENT_TURNS);
}

/**
 * Runs the first step of a request, which must wait for nothing but the database. Requests of one client that arrive at once begin
 * one after the other, so that they do not delay the requests of other clients: each when the body of the one before has arrived,
 * or {@link PACE_MS} after the first step of that one.
 *
 * @param arrived Resolves when the body has arrived.
 * @throws what the step throws.
 */
export function inBeginTurn<T>(
  core: Core,
  caller: Caller,
  step: () => Promise<T>,
  arrived: Promise<unknown>,
): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  void runQueued(core, `begin:${clientOf(caller)}`, async () => {
    try {
      resolve(await step());
      await Promise.race([arrived, setTimeout(PACE_MS, undefined, { ref: false })]);
    } catch (error) {
      reject(error);
    }
  });
  return promise;
}

/** Waits until a request may run as one {@link inClientTurn} step, which lasts until its response is closed. */
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
