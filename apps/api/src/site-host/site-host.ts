import type { IncomingMessage, ServerResponse } from 'node:http';
import { inFairTurn, isTurnOver, type Log, type PackStore, toServiceError } from '@berth/core';
import { createHotContents, type LiveSites, type SiteAddress, type SiteLookup } from '@berth/core/sites';
import {
  isSystemPath,
  NO_RULES,
  parseRequestPath,
  type ProtectedSite,
  type RequestPath,
  resolve,
  type Site,
  SITE_METHODS,
  type SiteFile,
} from '@berth/serving';
import { requestIdOf } from '../http/request-id.ts';
import { FileAnswers, type Visit } from './file-answers.ts';
import type { PasswordProtection } from './password-protection.ts';
import type { ServicePages } from './pages.ts';
import { PlainVisits } from './plain-visits.ts';
import { type Contents, sendFile } from './send-file.ts';
import { sendEmpty, siteHeaders, uncachedHeaders, withVaryAccept } from './site-headers.ts';
import { UNLOCK_PATH } from './unlock-form.ts';

export interface SiteHostOptions {
  sites: LiveSites;
  protection: PasswordProtection;
  pages: ServicePages;
  packs: PackStore;
  /** The host name below which deployments and platform domains are. */
  platformHost: string;
  /** The client's address, past trusted proxies. */
  addressOf(req: IncomingMessage): string;
  log: Log;
}

export interface SiteHost {
  /** Responds to a visit, synchronously if everything is in memory. Logs errors; the promise never rejects. */
  visit(req: IncomingMessage, res: ServerResponse, visit: Visit): void | Promise<void>;
  /** Answers visits by plain requests, as far as it can. */
  plain: PlainVisits;
}

interface SiteVisit extends Visit {
  address: SiteAddress;
  requested: RequestPath;
  /** Whether the visitor requests the unlock form. */
  isUnlock: boolean;
}

/** Clients may request a paused site again after an hour. Source: serving S4. */
const PAUSED_HEADERS = { 'Retry-After': '3600' };
const DECLARED_REDIRECT = 'public, max-age=0, must-revalidate';

/**
 * Creates the site host. It finds the site, checks the password, decides the response, and sends it. Source: serving
 * S1, S2, S4 to S6, S58, S64; storage C3; security T16.
 */
export function createSiteHost(options: SiteHostOptions): SiteHost {
  const contents = { hot: createHotContents(options.packs), packs: options.packs };
  const answers = new FileAnswers(options.platformHost);
  const responder = new SiteResponder(options, contents, answers);
  return {
    visit(req, res, visit) {
      try {
        return responder
          .answer(req, res, visit)
          ?.catch((thrown: unknown) => responder.retryWithFreshSite(req, res, visit, thrown));
      } catch (thrown) {
        return responder.fail(res, visit, thrown);
      }
    },
    plain: new PlainVisits({ ...options, contents, answers }),
  };
}

class SiteResponder {
  readonly #options: SiteHostOptions;
  readonly #contents: Contents;
  readonly #answers: FileAnswers;

  constructor(options: SiteHostOptions, contents: Contents, answers: FileAnswers) {
    this.#options = options;
    this.#contents = contents;
    this.#answers = answers;
  }

  /** Runs steps 1 to 3 of rule S1. Sends a cached response at once. */
  answer(req: IncomingMessage, res: ServerResponse, visit: Visit): void | Promise<void> {
    const cachedSite = visit.address === null ? null : this.#options.sites.peek(visit.address);
    const cachedAnswer =
      isSite(cachedSite) && !isProtected(cachedSite) && isRead(req) ? this.#answers.find(cachedSite, visit) : undefined;
    if (cachedAnswer) return sendFile(req, res, cachedSite as Site, cachedAnswer, this.#contents);

    const parsed = readVisit(visit);
    if (typeof parsed === 'string') return this.#options.pages.send(res, parsed);
    if (cachedSite !== undefined) return this.#answerSite(req, res, parsed, cachedSite);
    return this.#options.sites.find(parsed.address).then((found) => this.#answerSite(req, res, parsed, found));
  }

  /** Runs steps 4 and 5 of rule S1. */
  #answerSite(req: IncomingMessage, res: ServerResponse, visit: SiteVisit, site: SiteLookup): void | Promise<void> {
    if (site === null) return this.#options.pages.send(res, 'unknown-address');
    if (site === 'expired') return this.#options.pages.send(res, 'expired');
    if (site === 'taken-down') return this.#options.pages.send(res, 'taken-down');
    if (site === 'paused') return this.#options.pages.send(res, 'paused', PAUSED_HEADERS);
    if (isProtected(site)) {
      const { protection } = this.#options;
      const protectedVisit = { host: visit.host, site };
      if (visit.isUnlock && req.method === 'POST') return protection.handleForm(req, res, protectedVisit);
      if (!protection.isUnlocked(req, protectedVisit))
        return protection.requirePassword(req, res, protectedVisit, visit.path + visit.query);
      if (visit.isUnlock) return protection.redirect(res, site);
    } else if (visit.isUnlock) return this.#options.pages.send(res, 'unknown-address', siteHeaders(site));
    // Applying the rules of a site can take some milliseconds.
    return site.rules !== NO_RULES && isTurnOver()
      ? inFairTurn(this.#options.addressOf(req), () => this.#answerContent(req, res, visit, site))
      : this.#answerContent(req, res, visit, site);
  }

  /** Runs steps 6 to 12 of rule S1. */
  #answerContent(req: IncomingMessage, res: ServerResponse, visit: SiteVisit, site: Site): void | Promise<void> {
    const { requested, query } = visit;
    const request = { method: req.method!, host: visit.host, path: requested, query, accept: req.headers.accept };
    const intent = resolve(request, site);
    switch (intent.kind) {
      case 'file': {
        const send = (file: SiteFile) =>
          sendFile(req, res, site, this.#answers.make(site, { intent, file }, visit, requested.path), this.#contents);
        const file = site.manifest.peek(intent.path);
        return file ? send(file) : site.manifest.load(intent.path).then(send);
      }
      case 'canonical':
        return sendEmpty(res, 307, withVaryAccept({ ...uncachedHeaders(site), Location: intent.location }, intent));
      case 'redirect': {
        const fields = [['Cache-Control', DECLARED_REDIRECT]] as const;
        const ruledAnswer = this.#answers.applyRules(site, 'redirect', fields, visit, requested.path);
        const headers = { ...ruledAnswer, ...siteHeaders(site), Location: intent.location };
        return sendEmpty(res, intent.status, withVaryAccept(headers, intent));
      }
      case 'options': {
        const ruledAnswer = this.#answers.applyRules(site, 'options', [], visit, requested.path);
        return sendEmpty(res, 204, { ...ruledAnswer, ...siteHeaders(site), Allow: SITE_METHODS });
      }
      case 'method-not-allowed':
        return sendEmpty(res, 405, { ...uncachedHeaders(site), Allow: SITE_METHODS });
      case 'not-found': {
        const isFrontPage = requested.path === '' && requested.servable;
        return this.#options.pages.send(
          res,
          isFrontPage ? 'no-front-page' : 'unknown-page',
          withVaryAccept(siteHeaders(site), intent),
        );
      }
      default:
        intent satisfies never;
    }
  }

  /** If a content is not at the place that the site names, loads the site again and retries. Source: storage C3. */
  async retryWithFreshSite(req: IncomingMessage, res: ServerResponse, visit: Visit, thrown: unknown): Promise<void> {
    const parsed = readVisit(visit);
    if (!isMisplaced(thrown) || res.headersSent || typeof parsed === 'string') return this.fail(res, visit, thrown);
    try {
      await this.#answerSite(req, res, parsed, await this.#options.sites.findFresh(parsed.address));
    } catch (again) {
      this.fail(res, visit, again);
    }
  }

  /** Logs an error and sends a page, or closes the connection if a response has begun. */
  fail(res: ServerResponse, visit: Visit, thrown: unknown): void {
    const error = toServiceError(thrown);
    const fields = { err: error.cause ?? error, requestId: requestIdOf(res), host: visit.host };
    const isUnavailable = error.code === 'unavailable';
    if (isUnavailable && error.cause !== undefined) this.#options.log.warn(fields, 'A dependency is unavailable.');
    else if (!isUnavailable) this.#options.log.error(fields, 'A visit failed.');
    if (res.headersSent) res.destroy();
    else if (isUnavailable)
      this.#options.pages.send(res, 'away', { 'Retry-After': String(error.retryAfterSeconds ?? 5) });
    else this.#options.pages.send(res, 'fault');
  }
}

/** Parses the path of a visit. Returns a page name if the visit is invalid for every site. Source: serving S1, S6, S7. */
function readVisit(visit: Visit): SiteVisit | 'malformed' | 'unknown-address' {
  const requestedPath = parseRequestPath(visit.path);
  if (requestedPath === null) return 'malformed';
  const isUnlock = requestedPath.path === UNLOCK_PATH;
  const { address } = visit;
  return address === null || (isSystemPath(requestedPath.path) && !isUnlock)
    ? 'unknown-address'
    : { ...visit, address, requested: requestedPath, isUnlock };
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

/** Whether the error means that a content is not at the place that its site names, because it was moved or lost. */
function isMisplaced(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' || code === 'EBADMSG';
}
