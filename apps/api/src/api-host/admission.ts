import { admit, type Admission as Decision, type Browser, inFairTurn, ServiceError } from '@berth/core';
import type { Request, RequestHandler, Response } from 'express';
import { logFault, sendError } from '../http/error-answer.ts';
import { requestIdOf } from '../http/request-id.ts';
import { allowAnyOrigin } from './cors.ts';
import { showRateLimit } from '../http/rate-limit-headers.ts';
import type { ApiHostOptions, CreateContext } from './options.ts';
import { createBrowserReader } from './sign-in/browsers.ts';
import { callsOf } from './trpc-calls.ts';

/** Identifies the caller of each request once, and decides whether the request is allowed. */
export interface Admission {
  /** Returns the browser that opens a page, also when another site has sent it here: then without its session. */
  visitorOf: (req: Request, res: Response) => Browser;
  /**
   * Counts a request towards the rate limit, as middleware before every limited route. Shows the remaining requests in
   * every response, also in a 404. Rejects clients over their limit, except in tRPC calls, which the tRPC route
   * rejects.
   */
  count: RequestHandler;
  /**
   * Creates the context of a request that was counted.
   *
   * @throws `authentication_failed`; `forbidden` for a suspended or terminated account; `rate_limit_exceeded`;
   *   `request_timeout` for an anonymous client that left, because it can only be identified while it is connected.
   */
  createContext: CreateContext;
}

interface AdmissionResult extends Pick<Decision, 'caller' | 'refusal'> {
  browser: Browser | null;
}

/**
 * Creates the admission, which counts a request against the account of its credential. Requests without a valid
 * credential count against the address of the client, even if they match no operation. Each call of a batch counts.
 * Preflights do not count, because browsers send them automatically.
 *
 * The cookie of the console counts only for requests from its own pages.
 *
 * After too many failed attempts, an address gets 429 for every further one. Valid credentials still pass, because
 * other clients may share the address. Requests are not counted while the database is unavailable, so that operations
 * that do not need it still work. Source: api §1, §7, §13; security F8, T27, T43.
 */
export function createAdmission({
  core,
  addressOf,
  baseUrl,
  allowInsecure,
  log,
}: Pick<ApiHostOptions, 'core' | 'addressOf' | 'baseUrl' | 'allowInsecure' | 'log'>): Admission {
  const browsers = createBrowserReader({ baseUrl, allowInsecure, addressOf });
  const results = new WeakMap<Request, AdmissionResult>();

  async function admitRequest(req: Request, res: Response, cost: number): Promise<AdmissionResult> {
    const browser = browsers.ofConsole(req, res);
    const { caller, refusal, rate, outage } = await admit(core, {
      header: req.headers.authorization,
      ...(browser && { session: browser.session }),
      address: addressOf(req),
      cost,
    });
    if (rate) showRateLimit(res, rate);
    if (outage) logFault(log, outage, { requestId: requestIdOf(res), operation: 'rate limit' });
    return { caller, refusal, browser };
  }

  return {
    visitorOf: (req, res) => browsers.ofVisitor(req, res),
    async count(req, res, next) {
      if (req.method === 'OPTIONS') return next();
      const calls = callsOf(req.url);
      const client = addressOf(req);
      const result = await inFairTurn(client, () => admitRequest(req, res, calls ?? 1));
      // Node accepts few connections in each round of its event loop. Many requests in one round would delay connections.
      await inFairTurn(client, () => {});
      results.set(req, result);
      if (calls === null && result.refusal instanceof ServiceError && result.refusal.code === 'rate_limit_exceeded') {
        allowAnyOrigin(res);
        return sendError(res, result.refusal);
      }
      next();
    },
    createContext(req, res) {
      const { caller, browser, refusal } = results.get(req)!;
      if (!caller) throw refusal;
      const { origin, 'idempotency-key': idempotencyKey } = req.headers;
      return {
        core,
        caller,
        requestId: requestIdOf(res),
        ...(browser && { browser }),
        isForeignPage: origin !== undefined && origin !== baseUrl.origin,
        idempotencyKey: idempotencyKey?.toString(),
      };
    },
  };
}
