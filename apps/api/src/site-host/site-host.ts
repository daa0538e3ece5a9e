import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Log, type PackStore, toServiceError } from '@berth/core';
import { createHotContents, type LiveSites, type SiteAddress, type SiteLookup } from '@berth/core/sites';
import {
  isSystemPath,
  parseRequestPath,
  type ProtectedSite,
  type RequestPath,
  resolve,
  type Site,
  SITE_METHODS,
} from '@berth/serving';
import { requestIdOf } from '../http/request-id.ts';
import { createFileAnswers } from './file-answers.ts';
import type { Gate } from './gate.ts';
import { sendPage } from './pages.ts';
import { sendFile } from './send-file.ts';
import { sendEmpty, siteHeaders, uncachedHeaders, varying } from './site-headers.ts';
import { UNLOCK_PATH } from './unlock-form.ts';
import type { Visit } from './visit.ts';

/** What the site host needs. */
export interface SiteHostParts {
  sites: LiveSites;
  gate: Gate;
  packs: PackStore;
  /** The host name below which deployments and platform domains are. */
  platformHost: string;
  log: Log;
}

/**
 * Answers a visit: synchronously when everything is in memory, else with a promise that never rejects. An error is
 * logged and answered with a page, or closes the connection.
 */
export type SiteHost = (req: IncomingMessage, res: ServerResponse, visit: Visit) => void | Promise<void>;

/** A visit of a site, with its path parsed. */
interface SiteVisit extends Visit {
  address: SiteAddress;
  requested: RequestPath;
  /** Whether it is for the form of the gate. */
  isUnlock: boolean;
}

/** A paused site may be tried again after an hour. Source: serving S4. */
const PAUSED_HEADERS = { 'Retry-After': '3600' };
const DECLARED_REDIRECT = 'public, max-age=0, must-revalidate';

/**
 * Creates the site host: finds the site, checks whether it is locked, decides the answer, and sends it.
 *
 * Source: serving S1, S2, S4 to S6, S58, S64; security C3, T16.
 */
export function createSiteHost({ sites, gate, packs, platformHost, log }: SiteHostParts): SiteHost {
  const contents = { hot: createHotContents(packs), packs };
  const answers = createFileAnswers(platformHost);

  /** Steps 1 to 3 of S1. A cached answer is sent at once. */
  function receive(req: IncomingMessage, res: ServerResponse, visit: Visit): void | Promise<void> {
    const kept = visit.address === null ? null : sites.peek(visit.address);
    const known = isSite(kept) && !isProtected(kept) && isRead(req) ? answers.find(kept, visit) : undefined;
    if (known) return sendFile(req, res, kept as Site, known, contents);

    const siteVisit = readVisit(visit);
    if (typeof siteVisit === 'string') return sendPage(res, siteVisit);
    if (kept !== undefined) return meet(req, res, siteVisit, kept);
    return sites.find(siteVisit.address).then((found) => meet(req, res, siteVisit, found));
  }

  /** Steps 4 and 5 of S1. */
  function meet(req: IncomingMessage, res: ServerResponse, visit: SiteVisit, site: SiteLookup): void | Promise<void> {
    if (site === null) return sendPage(res, 'unknown-address');
    if (site === 'taken-down') return sendPage(res, 'taken-down');
    if (site === 'paused') return sendPage(res, 'paused', PAUSED_HEADERS);
    if (isProtected(site)) {
      const approach = { host: visit.host, site };
      if (visit.isUnlock && req.method === 'POST') return gate.answerForm(req, res, approach);
      if (!gate.isOpen(req, approach)) return gate.refuse(req, res, approach, visit.path + visit.query);
      if (visit.isUnlock) return gate.leadOn(res, site);
    } else if (visit.isUnlock) return sendPage(res, 'unknown-address', siteHeaders(site));
    return show(req, res, visit, site);
  }

  /** Steps 6 to 12 of S1. */
  function show(req: IncomingMessage, res: ServerResponse, visit: SiteVisit, site: Site): void | Promise<void> {
    const { requested, query } = visit;
    const request = { method: req.method!, path: requested, query, accept: req.headers.accept };
    const intent = resolve(request, site);
    switch (intent.kind) {
      case 'file':
        return sendFile(req, res, site, answers.make(site, intent, visit, requested.path), contents);
      case 'canonical':
        return sendEmpty(res, 307, varying({ ...uncachedHeaders(site), Location: intent.location }, intent));
      case 'redirect': {
        const fields = [['Cache-Control', DECLARED_REDIRECT]] as const;
        const ruled = answers.applyRules(site, 'redirect', fields, visit, requested.path);
        const headers = { ...ruled, ...siteHeaders(site), Location: intent.location };
        return sendEmpty(res, intent.status, varying(headers, intent));
      }
      case 'options': {
        const ruled = answers.applyRules(site, 'options', [], visit, requested.path);
        return sendEmpty(res, 204, { ...ruled, ...siteHeaders(site), Allow: SITE_METHODS });
      }
      case 'method-not-allowed':
        return sendEmpty(res, 405, { ...uncachedHeaders(site), Allow: SITE_METHODS });
      case 'not-found': {
        const isFrontPage = requested.path === '' && requested.servable;
        return sendPage(res, isFrontPage ? 'no-front-page' : 'unknown-page', varying(siteHeaders(site), intent));
      }
      default:
        intent satisfies never;
    }
  }

  /**
   * If bytes are not where the site expects them, reads the site once more for their current place. Source: security
   * C3.
   */
  async function recover(req: IncomingMessage, res: ServerResponse, visit: Visit, thrown: unknown): Promise<void> {
    const siteVisit = readVisit(visit);
    if (!isMisplaced(thrown) || res.headersSent || typeof siteVisit === 'string') return fail(res, visit, thrown);
    try {
      await meet(req, res, siteVisit, await sites.findFresh(siteVisit.address));
    } catch (again) {
      fail(res, visit, again);
    }
  }

  function fail(res: ServerResponse, visit: Visit, thrown: unknown): void {
    const error = toServiceError(thrown);
    const fields = { err: error.cause ?? error, requestId: requestIdOf(res), host: visit.host };
    const away = error.code === 'unavailable';
    if (away && error.cause !== undefined) log.warn(fields, 'A dependency is away.');
    else if (!away) log.error(fields, 'A visit failed.');
    if (res.headersSent) res.destroy();
    else if (away) sendPage(res, 'away', { 'Retry-After': String(error.retryAfterSeconds ?? 5) });
    else sendPage(res, 'fault');
  }

  return (req, res, visit) => {
    try {
      return receive(req, res, visit)?.catch((thrown: unknown) => recover(req, res, visit, thrown));
    } catch (thrown) {
      return fail(res, visit, thrown);
    }
  };
}

/** Parses the path of a visit, or returns the page that answers it for any site. Source: serving S1, S6, S7. */
function readVisit(visit: Visit): SiteVisit | 'malformed' | 'unknown-address' {
  const requested = parseRequestPath(visit.path);
  if (requested === null) return 'malformed';
  const isUnlock = requested.path === UNLOCK_PATH;
  const { address } = visit;
  return address === null || (isSystemPath(requested.path) && !isUnlock)
    ? 'unknown-address'
    : { ...visit, address, requested, isUnlock };
}

function isRead({ method }: IncomingMessage): boolean {
  return method === 'GET' || method === 'HEAD';
}

function isSite(found: SiteLookup | undefined): found is Site {
  return typeof found === 'object' && found !== null;
}

function isProtected(site: Site): site is ProtectedSite {
  return site.passwordVersion !== null;
}

/** Whether an error says that a content is not where its site expects it: it was moved since, or is lost. */
function isMisplaced(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' || code === 'EBADMSG';
}
