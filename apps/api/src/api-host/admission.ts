import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  authenticate,
  type Caller,
  type Context,
  type Core,
  type Log,
  type RateLimitState,
  ServiceError,
  takeFrom,
  tooMany,
  toServiceError,
} from '@berth/core';
import type { RequestHandler } from 'express';
import { logFault, sendError } from '../http/error-answer.ts';
import { requestIdOf } from '../http/request-id.ts';
import { allowAnyOrigin } from './cors.ts';
import { showRateLimit } from '../http/rate-limit-headers.ts';
import { callsOf } from './trpc-calls.ts';

/** Who asks, decided once for each request, and whether they may ask at all. */
export interface Admission {
  /**
   * Stands before everything that is limited. Takes what the request costs and shows what is left on the answer, be it
   * a 404. Refuses whoever has asked too often, except typed calls, whose own face does.
   */
  count: RequestHandler;
  /**
   * Makes the context of a request that was counted.
   *
   * @throws `authentication_failed`; `forbidden` for a suspended or terminated account; `rate_limit_exceeded`;
   *   `request_timeout` for an anonymous client who left before its address was known, since the address is all that tells
   *   it from others.
   */
  createContext(req: IncomingMessage, res: ServerResponse): Context;
}

/** What decides who may ask. */
export interface AdmissionParts {
  core: Core;
  /** The client's address, past trusted proxies; empty when its connection is gone. */
  addressOf(req: IncomingMessage): string;
  /** The one `Origin` whose pages are not foreign. */
  consoleOrigin: string;
  log: Log;
}

/** What {@link Admission.count} found out. */
interface Verdict {
  caller: Caller | null;
  /** Why the request may go no further. */
  refusal: unknown;
}

/**
 * Decides who makes a request and counts it: towards the account of its credential, else towards its address. A
 * credential that opens nothing counts towards the address too, and so do requests that no operation answers. Each call of
 * a batch counts. Preflights do not: browsers send them by themselves.
 *
 * An address that has guessed too often is told 429 for every further guess. Credentials that are good pass, since a
 * neighbour's guesses are no fault of theirs.
 *
 * When the store of the limits is away nobody is counted: what only reads may work without it.
 *
 * Source: contract §1, §7; security F8, T27.
 */
export function createAdmission({ core, addressOf, consoleOrigin, log }: AdmissionParts): Admission {
  const verdicts = new WeakMap<IncomingMessage, Verdict>();

  async function judge(req: IncomingMessage, res: ServerResponse, calls: number): Promise<Verdict> {
    const address = addressOf(req);
    const verdict = await identify(core, req.headers.authorization, address);
    if (verdict.refusal !== null && toServiceError(verdict.refusal).status >= 500) return verdict;
    const { caller } = verdict;
    if (caller?.kind !== 'account' && address === '') return { caller: null, refusal: connectionClosed() };
    const who = caller?.kind === 'account' ? `account:${caller.account}` : `address:${address}`;
    const state = await takeUnlessAway(who, calls, requestIdOf(res));
    if (core.rateLimits && state) showRateLimit(res, state);
    return state?.allowed === false ? { caller: null, refusal: tooMany(state) } : verdict;
  }

  async function takeUnlessAway(who: string, cost: number, requestId: string): Promise<RateLimitState | null> {
    try {
      return await takeFrom(core, 'global', who, cost);
    } catch (thrown) {
      const error = toServiceError(thrown);
      if (error.code !== 'unavailable') throw thrown;
      logFault(log, error, { requestId, operation: 'rate limit' });
      return null;
    }
  }

  return {
    async count(req, res, next) {
      if (req.method === 'OPTIONS') return next();
      const calls = callsOf(req.url);
      const verdict = await judge(req, res, calls ?? 1);
      verdicts.set(req, verdict);
      if (calls === null && isTooMany(verdict.refusal)) {
        allowAnyOrigin(res);
        return sendError(res, verdict.refusal);
      }
      next();
    },
    createContext(req, res) {
      const { caller, refusal } = verdicts.get(req)!;
      if (!caller) throw refusal;
      const { origin, 'idempotency-key': idempotencyKey } = req.headers;
      return {
        core,
        caller,
        requestId: requestIdOf(res),
        isForeignPage: origin !== undefined && origin !== consoleOrigin,
        ...(idempotencyKey === undefined ? {} : { idempotencyKey: idempotencyKey.toString() }),
      };
    },
  };
}

async function identify(core: Core, header: string | undefined, address: string): Promise<Verdict> {
  try {
    return { caller: await authenticate(core, header, address), refusal: null };
  } catch (refusal) {
    return { caller: null, refusal };
  }
}

function isTooMany(refusal: unknown): boolean {
  return refusal instanceof ServiceError && refusal.code === 'rate_limit_exceeded';
}

function connectionClosed(): ServiceError {
  return new ServiceError('request_timeout', 'The connection was closed.');
}
