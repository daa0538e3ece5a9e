import { checkDomainSetup, findDomainSetup, notFound } from '@berth/core';
import express, { type Request, type Response, type Router } from 'express';
import { errorHeaders } from '../../http/error-answer.ts';
import { allowOnly, sendErrorOrPage } from '../errors.ts';
import type { ApiHostOptions } from '../options.ts';
import { sendSetupPage, sendSetupProblem } from './page.ts';

/**
 * Serves the public page of the share link of a domain. It shows the DNS records that the domain needs, how to add them
 * at its DNS provider, and which of them were found. Its form checks the records again, at most every 10 s for each
 * domain. The page does not reveal the owner of the domain or its deployment. Clients that do not accept HTML get the
 * usual error body. Source: api §4; security T30, §7.
 */
export function domainSetupRouter({ core, log }: Pick<ApiHostOptions, 'core' | 'log'>): Router {
  const setup = express.Router({ strict: true, caseSensitive: true });
  setup
    .route('/setup/:hash')
    .get(
      withErrorPage(async ({ params }, res) => {
        const domainSetup = await findDomainSetup(core, params.hash);
        if (!domainSetup) throw notFound('setup link');
        sendSetupPage(res, domainSetup, core.now());
      }),
    )
    .post(
      withErrorPage(async (req, res) => {
        const findSetup = isForeign(req) ? findDomainSetup : checkDomainSetup;
        if (!(await findSetup(core, req.params.hash))) throw notFound('setup link');
        // With a redirect, reloading the page does not send the form again.
        res.writeHead(303, { Location: `/setup/${req.params.hash}`, 'Cache-Control': 'no-store' }).end();
      }),
    )
    .all(allowOnly('GET', 'POST'));
  return setup;

  function withErrorPage(work: (req: Request<{ hash: string }>, res: Response) => Promise<void>) {
    return async (req: Request<{ hash: string }>, res: Response): Promise<void> => {
      try {
        await work(req, res);
      } catch (thrown) {
        sendErrorOrPage(req, res, thrown, { log, operation: 'domain setup' }, (error, requestId) =>
          sendSetupProblem(res, error.status, requestId, errorHeaders(error)),
        );
      }
    };
  }
}

/** Whether the browser reports that another page sent the form. Source: security T13. */
function isForeign({ headers }: Request<{ hash: string }>): boolean {
  const site = headers['sec-fetch-site'];
  return site !== undefined && site !== 'same-origin' && site !== 'none';
}
