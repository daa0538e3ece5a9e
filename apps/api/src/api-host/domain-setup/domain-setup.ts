import { checkDomainSetup, type Core, findDomainSetup, type Log, notFound } from '@berth/core';
import express, { type Request, type Response, type Router } from 'express';
import { errorHeaders } from '../../http/error-answer.ts';
import { only, sendErrorOrPage } from '../errors.ts';
import { sendSetupPage, sendSetupProblem } from './page.ts';

/** The dependencies of the page. */
export interface DomainSetupOptions {
  core: Core;
  log: Log;
}

const OPERATION = 'domain setup';

/**
 * The public page behind the share link of a domain. It shows which DNS records the domain needs, how to add them at
 * its DNS provider, and whether they were found. Its form checks again, at most every 10 s for each domain. It needs no
 * account and no script. It reveals neither the owner of the domain nor what the domain shows.
 *
 * Clients that do not ask for HTML get the usual error body. Source: api §4; security T30, §7.
 */
export function domainSetupRouter({ core, log }: DomainSetupOptions): Router {
  const setup = express.Router({ strict: true, caseSensitive: true });
  setup
    .route('/setup/:hash')
    .get(
      answer(async ({ params }, res) => {
        const found = await findDomainSetup(core, params.hash);
        if (!found) throw notFound('setup link');
        sendSetupPage(res, found, core.now());
      }),
    )
    .post(
      answer(async (req, res) => {
        const find = isForeign(req) ? findDomainSetup : checkDomainSetup;
        if (!(await find(core, req.params.hash))) throw notFound('setup link');
        // Redirects to the page, so that reloading it does not check again.
        res.writeHead(303, { Location: `/setup/${req.params.hash}`, 'Cache-Control': 'no-store' }).end();
      }),
    )
    .all(only('GET', 'POST'));
  return setup;

  function answer(work: (req: Request<{ hash: string }>, res: Response) => Promise<void>) {
    return async (req: Request<{ hash: string }>, res: Response): Promise<void> => {
      try {
        await work(req, res);
      } catch (thrown) {
        sendErrorOrPage(req, res, thrown, { log, operation: OPERATION }, (error, requestId) =>
          sendSetupProblem(res, error.status, requestId, errorHeaders(error)),
        );
      }
    };
  }
}

/** Whether a browser reports that another page sent this form; then nothing is checked. Source: security T13. */
function isForeign({ headers }: Request<{ hash: string }>): boolean {
  const site = headers['sec-fetch-site'];
  return site !== undefined && site !== 'same-origin' && site !== 'none';
}
