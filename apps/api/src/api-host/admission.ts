import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  authenticate,
  type Caller,
  type ProcedureContext,
  type Core,
  inFairTurn,
  type Log,
  type RateLimitState,
  ServiceError,
  takeRateLimit,
  rateLimitExceeded,
  toServiceError,
} from '@berth/core';
import type { RequestHandler } from 'express';
import { logFault, sendError } from '../http/error-answer.ts';
import { requestIdOf } from '../http/request-id.ts';
import { allowAnyOrigin } from './cors.ts';
import { showRateLimit } from '../http/rate-limit-headers.ts';
import { callsOf } from './trpc-calls.ts';

/** Identifies the caller of each request once, and decides whether the request is allowed. */
export interface Admission {
  /**
   * Middleware that runs before every limited route. Charges the request to the rate limit and shows what is left on
   * every answer, also on a 404. Rejects clients over their limit, except for tRPC calls, which the tRPC route rejects
   * itself.
   */
  count: RequestHandler;
  /**
   * Creates the context of a request that was counted.
   *
   * @throws `authentication_failed`; `forbidden` for a suspended or terminated account; `rate_limit_exceeded`;
   *   `request_timeout` for an anonymous client that left before its address was known, since only the address
   *   identifies it.
   */
  createContext(req: IncomingMessage, res: ServerResponse): ProcedureContext;
}

/** What admission needs. */
export interface AdmissionOptions {
  core: Core;
  /** The client's address, past trusted proxies; empty when the connection is closed. */
  addressOf(req: IncomingMessage): string;
  /** The one `Origin` that is not treated as foreign. */
  consoleOrigin: string;
  log: Log;
}

/** The result of {@link Admission.count}. */
interface AdmissionResult {
  caller: Caller | null;
  /** Why the request is rejected; `null` if it is not. */
  refusal: unknown;
}

/**
 * Identifies the client of a request and counts it against the account of its credential, or else against its address.
 * Requests with an invalid credential, and requests that match no operation, count against the address too. Each call
 * of a batch counts. Preflights do not count, because browsers send them automatically.
 *
 * An address with too many failed attempts gets 429 for every further one. Valid credentials still pass, since a
 * neighbour may have made the attempts.
 *
 * While the store of the limits is unavailable, requests are not counted, so that reads that do not need it still work.
 *
 * Source: api §1, §7; security F8, T27.
 */
export function createAdmission({ core, addressOf, consoleOrigin, log }: AdmissionOptions): Admission {
  const results = new WeakMap<IncomingMessage, AdmissionResult>();

  async function admit(req: IncomingMessage, res: ServerResponse, calls: number): Promise<AdmissionResult> {
    const address = addressOf(req);
    const result = await identify(core, req.headers.authorization, address);
    if (result.refusal !== null && toServiceError(result.refusal).status >= 500) return result;
    const { caller } = result;
    if (caller?.kind !== 'account' && address === '') return { caller: null, refusal: connectionClosed() };
    const client = caller?.kind === 'account' ? `account:${caller.account}` : `address:${address}`;
    const state = await takeUnlessUnavailable(client, calls, requestIdOf(res));
    if (core.rateLimits && state) showRateLimit(res, state);
    return state?.allowed === false ? { caller: null, refusal: rateLimitExceeded(state) } : result;
  }

  async function takeUnlessUnavailable(
    client: string,
    cost: number,
    requestId: string,
  ): Promise<RateLimitState | null> {
    try {
      return await takeRateLimit(core, 'global', client, cost);
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
      const result = await inFairTurn(() => admit(req, res, calls ?? 1));
      // Node accepts one connection in each round of its event loop, so many requests at once must not share a round.
      await inFairTurn(() => {});
      results.set(req, result);
      if (calls === null && isTooMany(result.refusal)) {
        allowAnyOrigin(res);
        return sendError(res, result.refusal);
      }
      next();
    },
    createContext(req, res) {
      const { caller, refusal } = results.get(req)!;
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

async function identify(core: Core, header: string | undefined, address: string): Promise<AdmissionResult> {
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
