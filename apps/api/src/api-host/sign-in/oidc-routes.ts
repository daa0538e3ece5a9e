import { ReturnPath } from '@berth/contract';
import { beginOidc, type Browser, finishOidc, type Log, ServiceError, toServiceError } from '@berth/core';
import express, { type Request, type Response, type Router } from 'express';
import { logFault } from '../../http/error-answer.ts';
import { requestIdOf } from '../../http/request-id.ts';
import { allowOnly } from '../errors.ts';
import type { CreateContext } from '../options.ts';

interface OidcRoutes {
  createContext: CreateContext;
  /** Returns the browser that opens a page, also when another site has sent it here. */
  visitorOf(req: Request, res: Response): Browser;
  /** The origin of the console. */
  origin: string;
  log: Log;
}

const SIGNED_IN_PATH = '/app/sites';
const SIGN_IN_PATH = '/app/sign-in';

/**
 * Serves the two pages that a browser opens to sign in with an OpenID Connect provider: `/sign-in/oidc`, with the query parameter
 * `back`, and `/sign-in/oidc/callback`. Both redirect. A failure leads to `/app/sign-in?problem=…`. Source: api §13; security T33.
 */
export function oidcRouter({ createContext, visitorOf, origin, log }: OidcRoutes): Router {
  const router = express.Router({ strict: true, caseSensitive: true });
  const redirect = (res: Response, target: () => Promise<string>) =>
    target()
      .catch((thrown: unknown) => {
        const error = toServiceError(thrown);
        logFault(log, error, { requestId: requestIdOf(res), operation: 'sign-in/oidc' });
        return `${SIGN_IN_PATH}?problem=${problemOf(error)}`;
      })
      .then((location) =>
        res.writeHead(303, { Location: location, 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' }).end(),
      );

  router
    .route('/sign-in/oidc')
    .get((req, res) =>
      redirect(res, async () => {
        const { core, caller } = createContext(req, res);
        refuseOtherSites(req);
        const back = ReturnPath.safeParse(new URL(req.url, origin).searchParams.get('back'));
        return String(await beginOidc(core, visitorOf(req, res), caller, back.success ? back.data : null));
      }),
    )
    .all(allowOnly('GET'));
  router
    .route('/sign-in/oidc/callback')
    .get((req, res) =>
      redirect(res, async () => {
        const { core } = createContext(req, res);
        return (await finishOidc(core, visitorOf(req, res), new URL(req.url, origin))) ?? SIGNED_IN_PATH;
      }),
    )
    .all(allowOnly('GET'));
  return router;
}

/** @throws `forbidden` if a page of another site opens the page, which could sign its visitor in. Source: security T43. */
function refuseOtherSites({ headers }: Request): void {
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none')
    throw new ServiceError('authentication_failed', 'Begin the sign-in on the page of the console.');
}

/** The part of `/app/sign-in?problem=…` that says why a sign-in failed. */
function problemOf({ code }: ServiceError): string {
  switch (code) {
    case 'forbidden':
      return 'no-account';
    case 'authentication_failed':
      return 'refused';
    case 'rate_limit_exceeded':
      return 'too-many';
    case 'not_found':
      return 'not-offered';
    default:
      return 'unavailable';
  }
}
