import type { IncomingMessage } from 'node:http';
import { CLAIM_HASH } from '@berth/contract';
import { authenticate, createCaller, invalid, notFound, ServiceError } from '@berth/core';
import express, { type Request, type Response, type Router } from 'express';
import { errorBody, errorHeaders } from '../../http/error-answer.ts';
import { requestIdOf } from '../../http/request-id.ts';
import { readWholeBody } from '../../http/whole-body.ts';
import { allowOnly, sendErrorOrPage } from '../errors.ts';
import type { ApiHostOptions } from '../options.ts';
import { sendClaimPage } from './page.ts';
import { problemOf } from './problems.ts';

/** Maximum size of the form in bytes: one short field, and what a browser may add. */
const MAX_FORM_BYTES = 4_096;
const FORM_TYPE = /^application\/x-www-form-urlencoded[ \t]*(?:;|$)/i;

/**
 * Returns the path prefix of claim links, without a trailing slash, or `null` if `CLAIM_URL` is a page on another host.
 * Source: api §10.
 */
export function claimPathOf({ claimUrl, baseUrl }: { claimUrl: string; baseUrl: URL }): string | null {
  const { origin, pathname } = new URL(claimUrl);
  return origin === baseUrl.origin ? pathname.replace(/\/$/, '') : null;
}

/**
 * Serves the page of a claim link, with a form for an API key. Only a submitted form claims the deployment. The page is
 * the same for every hash, so it does not reveal whether a deployment exists. Clients that do not accept HTML get the
 * usual error body. If `CLAIM_URL` is a page on another host, this router handles no request. Source: api §6; security
 * T24, §7.
 */
export function claimPageRouter({ core, claimUrl, baseUrl, abuseContact, addressOf, log }: ApiHostOptions): Router {
  const router = express.Router({ strict: true, caseSensitive: true });
  const path = claimPathOf({ claimUrl, baseUrl });
  if (path === null) return router;
  const methods = allowOnly('GET', 'POST');
  router.use((req, res, next) => {
    if (!req.path.startsWith(`${path}/`)) return next();
    const hash = req.path.slice(path.length + 1).replace(/\/$/, '');
    if (!CLAIM_HASH.test(hash)) return path === '' ? next() : sendRefusal(req, res, notFound('claim'));
    if (req.method === 'POST') return void claim(req, res, hash);
    if (req.method !== 'GET' && req.method !== 'HEAD') return methods(req, res, next);
    return sendClaimPage(res, { status: 200, baseUrl, abuseContact, form: { claim: `${claimUrl}/${hash}` } });
  });

  async function claim(req: Request, res: Response, hash: string): Promise<void> {
    try {
      refuseForeignForms(req, baseUrl);
      const key = (await readForm(req)).get('key')?.trim() ?? '';
      if (key === '') throw invalid('key', 'an API key must be entered');
      const caller = await authenticate(core, `Bearer ${key}`, addressOf(req));
      const api = createCaller({ core, caller, requestId: requestIdOf(res) });
      sendClaimPage(res, { status: 200, baseUrl, abuseContact, claimed: await api.account.claim({ claim: hash }) });
    } catch (thrown) {
      sendRefusal(req, res, thrown, `${claimUrl}/${hash}`);
    }
  }

  function sendRefusal(req: Request, res: Response, thrown: unknown, claim?: string): void {
    sendErrorOrPage(req, res, thrown, { log, operation: 'account.claim' }, (error, requestId) => {
      const problem = problemOf(error, errorBody(error, requestId).message, requestId);
      const form = claim && error.code !== 'not_found' ? { claim } : undefined;
      sendClaimPage(res, { status: error.status, baseUrl, abuseContact, problem, form }, errorHeaders(error));
    });
  }

  return router;
}

/**
 * Reads the fields of an HTML form.
 *
 * @throws `validation_failed` for another media type; `payload_too_large`; `request_timeout` when the client left.
 */
async function readForm(req: IncomingMessage): Promise<URLSearchParams> {
  if (!FORM_TYPE.test(req.headers['content-type'] ?? ''))
    throw new ServiceError('validation_failed', 'The body must be a form: "application/x-www-form-urlencoded".');
  return new URLSearchParams((await readWholeBody(req, MAX_FORM_BYTES, 'The form')).toString());
}

/** @throws `forbidden` if another page sent the form. Over http, browsers send only `Origin`. Source: security T24. */
function refuseForeignForms({ headers }: IncomingMessage, baseUrl: URL): void {
  const site = headers['sec-fetch-site'];
  const isOwn = site === undefined ? headers.origin === baseUrl.origin : site === 'same-origin';
  if (!isOwn)
    throw new ServiceError('forbidden', 'The form must be sent from this page. Open the claim link and try again.');
}
