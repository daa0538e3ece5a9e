import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  isSystemPath,
  type LiveSites,
  type Log,
  parseRequestPath,
  type PackStore,
  resolve,
  type Site,
  SITE_METHODS,
  toServiceError,
  type VisitRequest,
} from '@berth/core';
import { siteHeaders } from './file-headers.ts';
import { sendPage } from './pages.ts';
import { isMisplaced, sendFile } from './send-file.ts';

/** What the site host works with. */
export interface SiteHostParts {
  sites: LiveSites;
  packs: PackStore;
  log: Log;
}

/** Which site is asked for what. */
export interface Visit {
  /** The deployment that the host names; `null` for a host that is none of ours. */
  deployment: string | null;
  /** The path as sent, up to `?`. */
  path: string;
  /** The query as sent, from `?` on; empty when there is none. */
  query: string;
}

/** Answers a visit. Never rejects: what fails is logged and answered with a page, or cuts the connection. */
export type SiteHost = (req: IncomingMessage, res: ServerResponse, visit: Visit) => Promise<void>;

const UNLOCK_PATH = '.berth/unlock';

/**
 * Makes the wildcard host: which site, is it locked, what is answered, and the answer.
 *
 * Source: serving S1, S2, S5, S6, S58, S64; security C3, T16.
 */
export function createSiteHost({ sites, packs, log }: SiteHostParts): SiteHost {
  async function answer(
    req: IncomingMessage,
    res: ServerResponse,
    { deployment, path: rawPath, query }: Visit,
  ): Promise<void> {
    const path = parseRequestPath(rawPath);
    if (path === null) return sendPage(res, 'malformed');
    const isSystem = isSystemPath(path.path);
    if (deployment === null || (isSystem && path.path !== UNLOCK_PATH)) return sendPage(res, 'unknown-address');

    for (const fresh of [false, true]) {
      const site = await sites.find(deployment, { fresh });
      if (!site) return sendPage(res, 'unknown-address');
      if (site.locked) return sendLocked(req, res, site);
      if (isSystem) return sendPage(res, 'unknown-address', siteHeaders(site));
      try {
        return await show(req, res, site, { method: req.method!, path, query });
      } catch (error) {
        if (fresh || res.headersSent || !isMisplaced(error)) throw error;
      }
    }
  }

  function show(req: IncomingMessage, res: ServerResponse, site: Site, request: VisitRequest): void | Promise<void> {
    const intent = resolve(request, site.manifest);
    const headers = siteHeaders(site);
    switch (intent.kind) {
      case 'file':
        return sendFile(req, res, packs, site, intent);
      case 'redirect':
        return void res
          .writeHead(307, { ...headers, Location: intent.location, 'Cache-Control': 'no-store', 'Content-Length': 0 })
          .end();
      case 'options':
        return void res.writeHead(204, { ...headers, Allow: SITE_METHODS }).end();
      case 'method-not-allowed':
        return void res
          .writeHead(405, { ...headers, Allow: SITE_METHODS, 'Cache-Control': 'no-store', 'Content-Length': 0 })
          .end();
      case 'not-found':
        return sendPage(
          res,
          request.path.path === '' && request.path.servable ? 'no-front-page' : 'unknown-page',
          headers,
        );
      default:
        intent satisfies never;
    }
  }

  return async (req, res, visit) => {
    try {
      await answer(req, res, visit);
    } catch (thrown) {
      const error = toServiceError(thrown);
      const fields = {
        err: error.cause ?? error,
        requestId: res.getHeader('X-Request-Id'),
        deployment: visit.deployment,
      };
      const away = error.code === 'unavailable';
      if (away) log.warn(fields, 'A dependency is away.');
      else log.error(fields, 'A visit failed.');
      if (res.headersSent) res.destroy();
      else if (away) sendPage(res, 'away', { 'Retry-After': String(error.retryAfterSeconds ?? 5) });
      else sendPage(res, 'fault');
    }
  };
}

/**
 * The answer of a locked site, the same for every path, method, Range and condition.
 *
 * A page that was opened here also clears what an earlier, public version left in the browser; a subresource never does, or
 * any page could wipe what a visitor has stored.
 *
 * Source: serving S58, S59; security T15, T16.
 */
function sendLocked(req: IncomingMessage, res: ServerResponse, site: Site): void {
  const isOpened = req.headers['sec-fetch-dest'] === 'document';
  sendPage(res, 'locked', {
    ...siteHeaders(site),
    'Cache-Control': 'private, no-store',
    Vary: 'Cookie',
    'WWW-Authenticate': 'Password realm="site"',
    ...(isOpened ? { 'Clear-Site-Data': '"cache", "storage"' } : {}),
  });
}
