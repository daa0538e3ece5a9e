import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { type Log, toServiceError } from '@berth/core';
import { createUnlockCookie, isUnlockCookieValid, type UnlockAttempt, type UnlockOutcome } from '@berth/core/sites';
import type { ProtectedSite, Site } from '@berth/serving';
import { sendEmpty, uncachedHeaders } from './site-headers.ts';
import { sendPage } from './pages.ts';
import { type CookiePolicy, cookieForm, cookiesNamed } from './unlock-cookie.ts';
import { isSameOrigin, readUnlockForm, safeNext, UNLOCK_PATH } from './unlock-form.ts';
import { CHALLENGE, sendUnlockPage, type UnlockState } from './unlock-page.ts';

/** The dependencies of the password protection. */
export interface PasswordProtectionOptions {
  /** Signs the cookies. */
  key: Buffer;
  now(): Date;
  cookies: CookiePolicy;
  /** The client's address; IPv6 cut to its /64. */
  addressOf(req: IncomingMessage): string;
  unlock(attempt: UnlockAttempt): Promise<UnlockOutcome>;
  log: Log;
}

/** A visit of a protected site. */
interface ProtectedVisit {
  /** The host of the request, normalised. */
  host: string;
  site: ProtectedSite;
}

/** Seconds after which a browser may retry when no other time is given. */
const BUSY_SECONDS = 5;

/**
 * Keeps visitors out of protected sites until they enter the password. A visitor who has unlocked a site carries a signed
 * cookie; the server stores nothing. Source: serving S58 to S64; security §7, T16.
 */
export class PasswordProtection {
  readonly #options: PasswordProtectionOptions;

  constructor(options: PasswordProtectionOptions) {
    this.#options = options;
  }

  /** Whether a request carries a valid cookie for this site on this host. */
  isUnlocked(req: IncomingMessage, { host, site: { deployment, passwordVersion } }: ProtectedVisit): boolean {
    const { key, now } = this.#options;
    const [value, ...others] = this.#cookieValues(req, host);
    if (value === undefined || others.length > 0) return false;
    return isUnlockCookieValid(value, key, { host, deployment, passwordVersion }, now());
  }

  /**
   * Answers with the unlock page. It is the same for every path, method, Range and condition, except for the address
   * that it leads back to.
   *
   * @param target Path and query as sent.
   */
  requirePassword(req: IncomingMessage, res: ServerResponse, { host, site }: ProtectedVisit, target: string): void {
    const headers = { ...uncachedHeaders(site), ...this.#clearSiteData(req, host) };
    if (!cookieForm(host, this.#options.cookies)) return sendPage(res, 'needs-https', { ...headers, ...CHALLENGE });
    const next = target.startsWith(`/${UNLOCK_PATH}`) ? '/' : safeNext(target);
    sendUnlockPage(res, { kind: 'locked' }, next, headers);
  }

  /** Answers a submitted form: with the cookie and a redirect for the right password, else with the page again. */
  async handleForm(req: IncomingMessage, res: ServerResponse, { host, site }: ProtectedVisit): Promise<void> {
    const { key, now, cookies } = this.#options;
    const headers = uncachedHeaders(site);
    const form = cookieForm(host, cookies);
    if (!form) return sendPage(res, 'needs-https', { ...headers, ...CHALLENGE });
    if (!isSameOrigin(req, host)) return sendUnlockPage(res, { kind: 'foreign' }, '/', headers);
    const entered = await readUnlockForm(req);
    if (entered.kind === 'gone') return;
    if (entered.kind !== 'read') return sendUnlockPage(res, entered, '/', headers);

    const outcome = await this.#attempt(req, site.deployment, entered.password);
    if (outcome.kind !== 'opened') return sendUnlockPage(res, outcome, entered.next, headers);
    const opening = { host, deployment: site.deployment, passwordVersion: outcome.passwordVersion };
    const cookie = `${form.name}=${createUnlockCookie(key, opening, now())}; ${form.attributes}`;
    sendEmpty(res, 303, { ...headers, Location: entered.next, 'Set-Cookie': cookie });
  }

  /** Redirects a visitor who opens the form but has already unlocked the site. */
  redirect(res: ServerResponse, site: Site): void {
    sendEmpty(res, 303, { ...uncachedHeaders(site), Location: '/' });
  }

  #cookieValues(req: IncomingMessage, host: string): string[] {
    const form = cookieForm(host, this.#options.cookies);
    return form ? cookiesNamed(form.name, req.headers.cookie) : [];
  }

  /**
   * The first page view also clears what an earlier, public version left in the browser. Subresources never do, since
   * any page could otherwise delete what a visitor has stored. Source: serving S59; security T15.
   */
  #clearSiteData(req: IncomingMessage, host: string): OutgoingHttpHeaders {
    const isFirstVisit = req.headers['sec-fetch-dest'] === 'document' && this.#cookieValues(req, host).length === 0;
    return isFirstVisit ? { 'Clear-Site-Data': '"cache", "storage"' } : {};
  }

  /** Tries the password. An unavailable dependency becomes a state of the page, on which the visitor can retry. */
  async #attempt(req: IncomingMessage, deployment: string, password: string): Promise<UnlockOutcome | UnlockState> {
    const { unlock, addressOf, log } = this.#options;
    try {
      return await unlock({ deployment, password, address: addressOf(req) });
    } catch (thrown) {
      const error = toServiceError(thrown);
      if (error.code !== 'unavailable') throw thrown;
      if (error.cause !== undefined) log.warn({ err: error.cause, deployment }, 'A dependency is unavailable.');
      return { kind: 'busy', retryAfterSeconds: error.retryAfterSeconds ?? BUSY_SECONDS };
    }
  }
}
