import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Core, invalid } from '@berth/core';
import { type LiveSites, unlockSite } from '@berth/core/sites';
import { traceIdOf } from '../api-host/request-spans.ts';
import { claimPathOf } from '../api-host/claim-page/claim-path.ts';
import type { ApiHostOptions } from '../api-host/options.ts';
import type { Config } from '../config/config.ts';
import type { LogLevel } from '../config/config-values.ts';
import type { Health } from '../health/health.ts';
import { createAddressReader, type ForwardedRequest, parseTrustedProxies } from '../http/client-address.ts';
import { onRequestEnd, setHostKind } from '../http/count-requests.ts';
import { sendError } from '../http/error-answer.ts';
import type { PlainEnd, PlainHandler } from '../http/plain-connections.ts';
import type { Handler } from '../http/server.ts';
import { requestIdOf } from '../http/request-id.ts';
import type { ServerLog } from '../logging/logger.ts';
import { createRequestLog } from '../logging/request-log.ts';
import type { RequestEntry } from '../logging/request-entry.ts';
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

/** What a listener needs to respond to every request. */
export interface HostRouter {
  handler: Handler;
  plainHandler: PlainHandler;
}

/** Routes every request to the API or to a site. Source: serving S1, S3, S4; security §1. */
export function createHostRouter({ core, config, sites, health, log }: HostRouterParts): HostRouter {
  const addressOf = createAddressReader(parseTrustedProxies(config.trustedProxies));
  const hosts = createHostMatcher({ apiHosts: new Set([config.apiHost]), platformDomain: config.platformHost });
  const api = loadAtFirstRequest({
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
  const requestLog = isLogged
    ? createRequestLog(log, { claimPath: claimPathOf(config), logged: config.logRequests, traceIdOf })
    : null;

  return {
    handler(req: IncomingMessage, res: ServerResponse) {
      const host = hosts.match({ method: req.method!, target: req.url!, rawHeaders: req.rawHeaders });
      setHostKind(res, host.kind);
      if (requestLog !== null)
        onRequestEnd(
          res,
          requestLog.follow({ req, res, requestId: requestIdOf(res), kind: host.kind, address: addressOf(req) }),
        );
      switch (host.kind) {
        case 'invalid':
          return sendError(res, invalid('Host', host.reason));
        case 'api':
          req.url = host.path + host.query;
          return api(req, res);
        case 'site':
          return site.visit(req, res, host);
        case 'unknown':
          return site.visit(req, res, { ...host, address: null });
        default:
          return host satisfies never;
      }
    },
    plainHandler: {
      answer(request) {
        const host = hosts.matchSite(request.host, request.target);
        return host && site.plain.answer(request, host);
      },
      onEnd: requestLog === null ? undefined : (end) => requestLog.write(entryOf(end, addressOf)),
    },
  };
}

/** Creates the API host at its first request: its modules take as long to load as all others of a server that serves sites. */
function loadAtFirstRequest(options: ApiHostOptions): Handler {
  let api: Promise<Handler> | null = null;
  return async (req, res) => {
    api ??= import('../api-host/api-host.ts').then(({ createApiHost }) => createApiHost(options));
    return (await api)(req, res);
  };
}

/** Returns the fields of the log line of a plain request, which is always one to a site. */
function entryOf(
  { request, socket, requestId, status, bytes, durationMs, isAborted }: PlainEnd,
  addressOf: (req: ForwardedRequest) => string,
): RequestEntry {
  const { method, host, target } = request;
  const queryAt = target.indexOf('?');
  const entry: RequestEntry = {
    requestId,
    kind: 'site',
    method,
    host,
    path: queryAt < 0 ? target : target.slice(0, queryAt),
    status: status === 0 ? null : status,
    bytes,
    durationMs,
    address: addressOf({ socket, headers: { 'x-forwarded-for': request.get('x-forwarded-for') } }),
  };
  if (isAborted) entry.aborted = true;
  return entry;
}
