import type { IncomingMessage } from 'node:http';
import { CLAIM_HASH } from '@berth/contract';
import {
  authenticate,
  createCaller,
  invalid,
  notFound,
  readClaimedSite,
  ServiceError,
  toServiceError,
} from '@berth/core';
import express, { type Request, type Response, type Router } from 'express';
import { errorBody, errorHeaders, logFault } from '../../http/error-answer.ts';
import { requestIdOf } from '../../http/request-id.ts';
import type { SendShell } from '../console/console.ts';
import { allowOnly, sendErrorOrPage } from '../errors.ts';
import { readForm } from '../form-body.ts';
import type { ApiHostOptions } from '../options.ts';
import { type ClaimForm, claimNotice, type NamedSite, sendClaimPage } from './page.ts';
import { problemOf } from './problems.ts';
import { claimPathOf } from './claim-path.ts';

/** The path below which the console has its page of claim links. */
const CONSOLE_CLAIM_PATH = '/claim';

/**
 * Serves the page of a claim link: the console, in which a person who is signed in keeps the site with a click. Without a built
 * console, without JavaScript and with `?form` it is a page with a form for an API key. Both name the site and how long it lasts, and
 * are the same for hashes that are unknown, expired and used. Only a submitted form claims the deployment. Clients that do not accept HTML get
 * the usual error body. If `CLAIM_URL` is a page on another host, this router handles no request. Source: api §6; security
 * T24, §7.
 */
export function claimPageRouter(
  { core, claimUrl, baseUrl, abuseContact, addressOf, log }: ApiHostOptions,
  sendShell: SendShell | null,
): Router {
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
    return void show(req, res, hash);
  });

  async function show(req: Request, res: Response, hash: string): Promise<void> {
    const site = await findSite(req, res, hash);
    if (sendShell !== null && path === CONSOLE_CLAIM_PATH && !isFormAsked(req))
      return sendShell(req, res, site && claimNotice(site));
    sendClaimPage(res, { status: 200, baseUrl, abuseContact, form: { claim: `${claimUrl}/${hash}`, site } });
  }

  /** Returns the site of a claim link; `null` if the link is invalid, or if the database cannot be read. */
  async function findSite(req: Request, res: Response, hash: string): Promise<NamedSite | null> {
    try {
      const caller = { kind: 'anonymous', address: addressOf(req) } as const;
      const { title, url, expires } = await readClaimedSite({ core, caller }, hash);
      return { title, url, leftMs: (expires ?? 0) * 1000 - core.now().getTime() };
    } catch (thrown) {
      const error = toServiceError(thrown);
      if (error.code !== 'not_found')
        logFault(log, error, { requestId: requestIdOf(res), operation: 'account.claimed' });
      return null;
    }
  }

  async function claim(req: Request, res: Response, hash: string): Promise<void> {
    try {
      refuseForeignForms(req, baseUrl);
      const key = (await readForm(req)).get('key')?.trim() ?? '';
      if (key === '') throw invalid('key', 'an API key must be entered');
      const caller = await authenticate(core, `Bearer ${key}`, addressOf(req));
      const api = createCaller({ core, caller, requestId: requestIdOf(res) });
      sendClaimPage(res, { status: 200, baseUrl, abuseContact, claimed: await api.account.claim({ claim: hash }) });
    } catch (thrown) {
      const site = await findSite(req, res, hash);
      sendRefusal(req, res, thrown, { claim: `${claimUrl}/${hash}`, site });
    }
  }

  function sendRefusal(req: Request, res: Response, thrown: unknown, claimForm?: ClaimForm): void {
    sendErrorOrPage(req, res, thrown, { log, operation: 'account.claim' }, (error, requestId) => {
      const problem = problemOf(error, errorBody(error, requestId).message, requestId);
      const form = error.code === 'not_found' ? undefined : claimForm;
      sendClaimPage(res, { status: error.status, baseUrl, abuseContact, problem, form }, errorHeaders(error));
    });
  }

  return router;
}

function isFormAsked({ url }: Request): boolean {
  return new URLSearchParams(url.split('?')[1]).has('form');
}

/** @throws `forbidden` if another page sent the form. Over http, browsers send only `Origin`. Source: security T24. */
function refuseForeignForms({ headers }: IncomingMessage, baseUrl: URL): void {
  const site = headers['sec-fetch-site'];
  const isOwn = site === undefined ? headers.origin === baseUrl.origin : site === 'same-origin';
  if (!isOwn)
    throw new ServiceError('forbidden', 'The form must be sent from this page. Open the claim link and try again.');
}
