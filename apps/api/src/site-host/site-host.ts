import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  isSystemPath,
  type LiveSites,
  type Log,
  parseRequestPath,
  type PackStore,
  resolve,
  type ProtectedSite,
  type Site,
  SITE_METHODS,
  type SiteAddress,
  toServiceError,
  type VisitRequest,
} from '@berth/core';
import { siteHeaders, uncachedHeaders } from './file-headers.ts';
import type { Gate } from './gate.ts';
import { sendPage } from './pages.ts';
import { isMisplaced, sendFile } from './send-file.ts';
import { UNLOCK_PATH } from './unlock-form.ts';

/** What the site host works with. */
export interface SiteHostParts {
  sites: LiveSites;
  gate: Gate;
  packs: PackStore;
  log: Log;
}

/** Which site is asked for what. */
export interface Visit {
  /** The host that was asked, normalised. */
  host: string;
  /** The site that the host names; `null` for a host that is none of ours. */
  address: SiteAddress | null;
  /** The path as sent, up to `?`. */
  path: string;
  /** The query as sent, from `?` on; empty when there is none. */
  query: string;
}

/** Answers a visit. Never rejects: what fails is logged and answered with a page, or cuts the connection. */
export type SiteHost = (req: IncomingMessage, res: ServerResponse, visit: Visit) => Promise<void>;

/** When a paused site is worth another look. Source: serving S4. */
const PAUSED_RETRY_SECONDS = 3600;

/**
 * Makes the wildcard host: which site, is it locked, what is answered, and the answer.
 *
 * Source: serving S1, S2, S4 to S6, S58, S64; security C3, T16.
 */
export function createSiteHost({ sites, gate, packs, log }: SiteHostParts): SiteHost {
  async function answer(req: IncomingMessage, res: ServerResponse, visit: Visit): Promise<void> {
    const path = parseRequestPath(visit.path);
    if (path === null) return sendPage(res, 'malformed');
    const isSystem = isSystemPath(path.path);
    if (visit.address === null || (isSystem && path.path !== UNLOCK_PATH)) return sendPage(res, 'unknown-address');

    for (const fresh of [false, true]) {
      const site = await sites.find(visit.address, { fresh });
      if (site === null) return sendPage(res, 'unknown-address');
      if (site === 'taken-down') return sendPage(res, 'taken-down');
      if (site === 'paused') return sendPage(res, 'paused', { 'Retry-After': String(PAUSED_RETRY_SECONDS) });
      if (isProtected(site)) {
        const approach = { host: visit.host, site };
        if (isSystem && req.method === 'POST') return gate.answerForm(req, res, approach);
        if (!gate.isOpen(req, approach)) return gate.refuse(req, res, approach, visit.path + visit.query);
        if (isSystem) return gate.leadOn(res, site);
      } else if (isSystem) return sendPage(res, 'unknown-address', siteHeaders(site));
      try {
        return await show(req, res, site, { method: req.method!, path, query: visit.query });
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
          .writeHead(307, { ...uncachedHeaders(site), Location: intent.location, 'Content-Length': 0 })
          .end();
      case 'options':
        return void res.writeHead(204, { ...headers, Allow: SITE_METHODS }).end();
      case 'method-not-allowed':
        return void res.writeHead(405, { ...uncachedHeaders(site), Allow: SITE_METHODS, 'Content-Length': 0 }).end();
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
        host: visit.host,
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

function isProtected(site: Site): site is ProtectedSite {
  return site.passwordVersion !== null;
}
