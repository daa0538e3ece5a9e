import { appRouter, UNTRACED } from '@berth/core';
import express, { type Express } from 'express';
import { VERSION } from '../version.ts';
import { showRequestId } from '../http/request-id.ts';
import { createAdmission } from './admission.ts';
import { createDownloadRoute } from './archives/download-route.ts';
import { claimPageRouter } from './claim-page/claim-page.ts';
import { commandLineRouter } from './command-line.ts';
import { createConsole } from './console/console.ts';
import { createContentsRoute } from './contents-route.ts';
import { cors } from './cors.ts';
import { createDeployRoute } from './deploy-route.ts';
import { deviceFlowRouter } from './device-flow/device-flow.ts';
import { domainSetupRouter } from './domain-setup/domain-setup.ts';
import { handleErrors } from './errors.ts';
import { healthRouter } from './health.ts';
import { openApiDocument } from './openapi.ts';
import type { ApiHostOptions } from './options.ts';
import { referenceRouter } from './reference.ts';
import { traceRequests } from './request-spans.ts';
import { securityTxtRouter } from './security-txt.ts';
import { createRestApi } from './rest.ts';
import { oidcRouter } from './sign-in/oidc-routes.ts';
import { createSessionRoute } from './sign-in/session-route.ts';
import { sendUnknownPage } from './unknown-page.ts';
import { trpcRouter } from './trpc.ts';

/**
 * Creates the API host. The routes after `count` are subject to the rate limit. Source: api §2, §7, §9.
 */
export function createApiHost(options: ApiHostOptions): Express {
  const { core, baseUrl, log } = options;
  const { count, createContext, visitorOf } = createAdmission(options);
  const app = express();
  app
    .disable('x-powered-by')
    .disable('etag')
    .disable('query parser')
    .enable('case sensitive routing')
    .enable('strict routing');
  app.use(showRequestId);
  app.use(healthRouter(options.health));
  const documentOptions = { router: appRouter, baseUrl: baseUrl.origin, version: VERSION };
  app.use(
    referenceRouter({
      '/openapi.json': () => openApiDocument(documentOptions),
      '/openapi-3.0.json': () => openApiDocument({ ...documentOptions, openApiVersion: '3.0.3' }),
    }),
  );
  const console = createConsole({ baseUrl, folder: options.consoleFolder });
  app.use(console.router);
  app.use(commandLineRouter(baseUrl.origin));
  app.use(securityTxtRouter(options.abuseContact, baseUrl.origin, () => core.now()));
  if (core.tracer !== UNTRACED) app.use(traceRequests(core.tracer));
  const rest = createRestApi(appRouter, createContext, log, {
    otherRoutes: {
      '/deployments': ['POST'],
      '/deployments/{deployment}/archive': ['GET'],
      '/uploads/{upload}/contents': ['PUT'],
    },
    sendUnknownPage: (res) => sendUnknownPage(res, options.abuseContact),
  });
  app.use(count);
  app.use(rest.operations);
  app.use(claimPageRouter(options, console.sendShell));
  app.use(domainSetupRouter(options));
  app.use(deviceFlowRouter(options));
  app.post('/deployments', cors, createDeployRoute({ ...options, createContext }));
  app.get('/deployments/:deployment/archive', cors, createDownloadRoute(createContext, log));
  app.put('/uploads/:upload/contents', cors, createContentsRoute(createContext, log));
  app.get('/session', createSessionRoute(createContext, log));
  app.use(oidcRouter({ createContext, visitorOf, origin: baseUrl.origin, log }));
  app.use(trpcRouter(appRouter, createContext, log));
  app.use(rest.unknown);
  app.use(handleErrors(log));
  return app;
}
