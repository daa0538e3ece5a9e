import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Core, invalid } from '@berth/core';
import { type LiveSites, unlockSite } from '@berth/core/sites';
import { createApiHost } from '../api-host/api-host.ts';
import { traceIdOf } from '../api-host/request-spans.ts';
import { claimPathOf } from '../api-host/claim-page/claim-page.ts';
import type { Config } from '../config/config.ts';
import type { LogLevel } from '../config/config-values.ts';
import type { Health } from '../health/health.ts';
import { createAddressReader, parseTrustedProxies } from '../http/client-address.ts';
import { onRequestEnd, setHostKind } from '../http/count-requests.ts';
import { sendError } from '../http/error-answer.ts';
import type { Handler } from '../http/server.ts';
import { requestIdOf } from '../http/request-id.ts';
import type { ServerLog } from '../logging/logger.ts';
import { createRequestLog } from '../logging/request-log.ts';
import { ServicePages } from '../site-host/pages.ts';
import { PasswordProtection } from '../site-host/password-protection.ts';
import { createSiteHost } from '../site-host/site-host.ts';
import { createHostMatcher } from './host-matcher.ts';

const REQUEST_LOG_LEVELS: ReadonlySet<LogLevel> = new Set(['trace', 'debug', 'info']);

interface HostRouterParts {
  core: Core;
  config: Config;
  sites: LiveSites;
  health: Health;
  log: ServerLog;
}

/** Routes every request to the API or to a site. Source: serving S1, S3, S4; security §1. */
export function createHostRouter({ core, config, sites, health, log }: HostRouterParts): Handler {
  const addressOf = createAddressReader(parseTrustedProxies(config.trustedProxies));
  const matchHost = createHostMatcher({ apiHosts: new Set([config.apiHost]), platformDomain: config.platformHost });
  const api = createApiHost({
    core,
    health,
    baseUrl: config.baseUrl,
    claimUrl: config.claimUrl,
    abuseContact: config.abuseContact,
    allowInsecure: config.allowInsecure,
    consoleFolder: config.consoleFolder,
    spoolFolder: config.spoolFolder,
    log,
    addressOf,
  });
  const pages = new ServicePages(config.abuseContact);
  const protection = new PasswordProtection({
    key: core.keys.unlock,
    now: () => core.now(),
    cookies: config,
    addressOf,
    unlock: (attempt) => unlockSite(core, attempt),
    pages,
    log,
  });
  const site = createSiteHost({
    sites,
    protection,
    pages,
    packs: core.packs,
    platformHost: config.platformHost,
    addressOf,
    log,
  });
  const isLogged = REQUEST_LOG_LEVELS.has(config.logLevel) && config.logRequests.which !== 'off';
  const logRequest = isLogged
    ? createRequestLog(log, { claimPath: claimPathOf(config), logged: config.logRequests, traceIdOf })
    : null;

  return (req: IncomingMessage, res: ServerResponse) => {
    const host = matchHost({ method: req.method!, target: req.url!, rawHeaders: req.rawHeaders });
    setHostKind(res, host.kind);
    if (logRequest !== null)
      onRequestEnd(
        res,
        logRequest({ req, res, requestId: requestIdOf(res), kind: host.kind, address: addressOf(req) }),
      );
    switch (host.kind) {
      case 'invalid':
        return sendError(res, invalid('Host', host.reason));
      case 'api':
        req.url = host.path + host.query;
        return api(req, res);
      case 'site':
        return site(req, res, host);
      case 'unknown':
        return site(req, res, { ...host, address: null });
      default:
        return host satisfies never;
    }
  };
}
