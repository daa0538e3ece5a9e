import type { IncomingMessage } from 'node:http';
import { CLAIM_HASH } from '@berth/contract';
import { authenticate, type Core, createCaller, invalid, type Log, notFound, ServiceError } from '@berth/core';
import express, { type Request, type Response, type Router } from 'express';
import { errorBody, errorHeaders } from '../../http/error-answer.ts';
import { requestIdOf } from '../../http/request-id.ts';
import { only, sendErrorOrPage } from '../errors.ts';
import { claimPathOf } from './claim-path.ts';
import { readForm } from './form-body.ts';
import { sendClaimPage } from './page.ts';
import { problemOf } from './problems.ts';

/** The dependencies of the claim page. */
export interface ClaimPageOptions {
  core: Core;
  /** `CLAIM_URL`. */
  claimUrl: string;
  baseUrl: URL;
  /** The client's address, past trusted proxies. */
  addressOf(req: IncomingMessage): string;
  log: Log;
}

/**
 * The page behind a claim link. It explains the link, asks for an API key, and claims only when its own form is posted.
 * Opening the page changes nothing and reveals nothing: it is the same for every hash, with or without a deployment
 * behind it. It needs no script and loads nothing.
 *
 * Clients that do not ask for HTML get the usual error body. When `CLAIM_URL` is a page on another host, this router
 * answers nothing.
 *
 * Source: api §6; security T24, §7.
 */
export function claimPageRouter({ core, claimUrl, baseUrl, addressOf, log }: ClaimPageOptions): Router {
  const router = express.Router({ strict: true, caseSensitive: true });
  const path = claimPathOf({ claimUrl, baseUrl });
  if (path === null) return router;
  const methods = only('GET', 'POST');
  router.use((req, res, next) => {
    if (!req.path.startsWith(`${path}/`)) return next();
    const hash = req.path.slice(path.length + 1).replace(/\/$/, '');
    if (!CLAIM_HASH.test(hash)) return path === '' ? next() : refuse(req, res, notFound('claim'));
    if (req.method === 'POST') return void claim(req, res, hash);
    if (req.method !== 'GET' && req.method !== 'HEAD') return methods(req, res, next);
    return sendClaimPage(res, { status: 200, baseUrl, form: { claim: `${claimUrl}/${hash}` } });
  });

  /** Claims the deployment for the account of the key in the form. */
  async function claim(req: Request, res: Response, hash: string): Promise<void> {
    try {
      refuseForeignForms(req, baseUrl);
      const key = (await readForm(req)).get('key')?.trim() ?? '';
      if (key === '') throw invalid('key', 'is required: enter an API key');
      const caller = await authenticate(core, `Bearer ${key}`, addressOf(req));
      const api = createCaller({ core, caller, requestId: requestIdOf(res) });
      sendClaimPage(res, { status: 200, baseUrl, claimed: await api.account.claim({ claim: hash }) });
    } catch (thrown) {
      refuse(req, res, thrown, `${claimUrl}/${hash}`);
    }
  }

  function refuse(req: Request, res: Response, thrown: unknown, claim?: string): void {
    sendErrorOrPage(req, res, thrown, { log, operation: 'account.claim' }, (error, requestId) => {
      const problem = problemOf(error, errorBody(error, requestId).message, requestId);
      const form = problem.canRetry && claim ? { form: { claim } } : {};
      sendClaimPage(res, { status: error.status, baseUrl, problem, ...form }, errorHeaders(error));
    });
  }

  return router;
}

/**
 * Rejects a form that another page sent. Browsers say where a form comes from with `Sec-Fetch-Site`, or, over plain
 * http, only with `Origin`.
 *
 * @throws `forbidden`. Source: security T24.
 */
function refuseForeignForms({ headers }: IncomingMessage, baseUrl: URL): void {
  const site = headers['sec-fetch-site'];
  const isOwn = site === undefined ? headers.origin === baseUrl.origin : site === 'same-origin';
  if (!isOwn)
    throw new ServiceError('forbidden', 'The form must be sent from this page. Open the claim link and try again.');
}
