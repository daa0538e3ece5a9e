import { checkDomainSetup, type Core, findDomainSetup, type Log, notFound } from '@berth/core';
import express, { type Request, type Response, type Router } from 'express';
import { errorHeaders } from '../../http/error-answer.ts';
import { only, sendErrorOrPage } from '../errors.ts';
import { sendSetupPage, sendSetupProblem } from './page.ts';

/** What the page works with. */
export interface DomainSetupParts {
  core: Core;
  log: Log;
}

const OPERATION = 'domain setup';

/**
 * The public page behind the share link of a domain: which DNS records it needs, how they are added where its DNS is, and
 * whether they were seen. Its form looks again, at most every 10 s a domain. It needs no account and no script, and tells
 * nothing of whose domain it is or what it shows.
 *
 * Whoever does not ask for HTML gets errors as every other address gives them. Source: contract §4; security T30, §7.
 */
export function domainSetupRouter({ core, log }: DomainSetupParts): Router {
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
        const look = isForeign(req) ? findDomainSetup : checkDomainSetup;
        if (!(await look(core, req.params.hash))) throw notFound('setup link');
        // The address of the page itself, so that to load it again does not ask again.
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

/** Whether a browser says that another page sent this form: then nothing is looked at. Source: security T13. */
function isForeign({ headers }: Request<{ hash: string }>): boolean {
  const site = headers['sec-fetch-site'];
  return site !== undefined && site !== 'same-origin' && site !== 'none';
}
