import type { IncomingMessage, ServerResponse } from 'node:http';
import { appRouter, type Core, type Log } from '@berth/core';
import express from 'express';
import { VERSION } from '../version.ts';
import { showRequestId } from '../http/request-id.ts';
import { createAdmission } from './admission.ts';
import { claimPageRouter } from './claim-page/claim-page.ts';
import { createContentsRoute } from './contents-route.ts';
import { cors } from './cors.ts';
import { createDeployRoute } from './deploy-route.ts';
import { domainSetupRouter } from './domain-setup/domain-setup.ts';
import { handleErrors } from './errors.ts';
import { healthRouter } from './health.ts';
import { openApiDocument } from './openapi.ts';
import { referenceRouter } from './reference.ts';
import { restRouter } from './rest.ts';
import { trpcRouter } from './trpc.ts';

/** The dependencies of the API host. */
export interface ApiHostOptions {
  core: Core;
  baseUrl: URL;
  /** `CLAIM_URL`. */
  claimUrl: string;
  log: Log;
  /** The client's address, past trusted proxies. */
  addressOf(req: IncomingMessage): string;
}

/**
 * The API host: health and reference, then, with each request counted, the pages for claims and domain set-up, the
 * multipart deploy route, the contents of uploads, and tRPC and REST over the same routers. REST comes last, since it
 * answers everything that no other route did.
 *
 * Source: api §2, §7, §9.
 */
export function createApiHost({
  core,
  baseUrl,
  claimUrl,
  log,
  addressOf,
}: ApiHostOptions): (req: IncomingMessage, res: ServerResponse) => void {
  const { count, createContext } = createAdmission({ core, addressOf, consoleOrigin: baseUrl.origin, log });
  const deploy = createDeployRoute({ createContext, log });
  const app = express();
  app
    .disable('x-powered-by')
    .disable('etag')
    .disable('query parser')
    .enable('case sensitive routing')
    .enable('strict routing');
  app.use(showRequestId);
  app.use(healthRouter(() => core.database.isReady()));
  app.use(referenceRouter(openApiDocument({ router: appRouter, baseUrl: baseUrl.origin, version: VERSION })));
  app.use(count);
  app.use(claimPageRouter({ core, claimUrl, baseUrl, addressOf, log }));
  app.use(domainSetupRouter({ core, log }));
  app.post('/deployments', cors, deploy);
  app.put('/uploads/:upload/contents', cors, createContentsRoute({ createContext, log }));
  app.use(trpcRouter(appRouter, createContext, log));
  app.use(
    restRouter(appRouter, createContext, log, {
      '/deployments': ['POST'],
      '/uploads/{upload}/contents': ['PUT'],
    }),
  );
  app.use(handleErrors(log));
  return app;
}
