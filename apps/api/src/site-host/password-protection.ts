import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { type Log, toServiceError } from '@berth/core';
import { createUnlockCookie, isUnlockCookieValid, type UnlockAttempt, type UnlockOutcome } from '@berth/core/sites';
import type { ProtectedSite, Site } from '@berth/serving';
import { sendEmpty, uncachedHeaders } from './site-headers.ts';
import type { ServicePages } from './pages.ts';
import { cookiesNamed } from '../http/cookies.ts';
import { type CookiePolicy, cookieForm } from './unlock-cookie.ts';
import { isSameOrigin, readUnlockForm, safeNext, UNLOCK_PATH } from './unlock-form.ts';
import { CHALLENGE, sendUnlockPage, type UnlockState } from './unlock-page.ts';

export interface PasswordProtectionOptions {
  /** The key that signs the cookies. */
  key: Buffer;
  now(): Date;
  cookies: CookiePolicy;
  /** Returns the client's IPv4 address, or the /64 of its IPv6 address. */
  addressOf(req: IncomingMessage): string;
  unlock(attempt: UnlockAttempt): Promise<UnlockOutcome>;
  pages: ServicePages;
  log: Log;
}

interface ProtectedVisit {
  /** The host of the request, normalised. */
  host: string;
  site: ProtectedSite;
}

/** Visitors may retry after this time if the error does not say when. */
const BUSY_SECONDS = 5;

/**
 * Shows protected sites only to visitors who entered the password. Their browsers keep a signed cookie; the server
 * stores nothing. Source: serving S58 to S64; security §7, T16.
 */
export class PasswordProtection {
  readonly #options: PasswordProtectionOptions;

  constructor(options: PasswordProtectionOptions) {
    this.#options = options;
  }

  isUnlocked(req: IncomingMessage, { host, site: { deployment, passwordVersion } }: ProtectedVisit): boolean {
    const { key, now } = this.#options;
    const [value, ...others] = this.#cookieValues(req, host);
    if (value === undefined || others.length > 0) return false;
    return isUnlockCookieValid(value, key, { host, deployment, passwordVersion }, now());
  }

  /** Sends the unlock page. @param target The requested path and query, to which the page leads back. */
  requirePassword(req: IncomingMessage, res: ServerResponse, { host, site }: ProtectedVisit, target: string): void {
    const { cookies, pages } = this.#options;
    const headers = { ...uncachedHeaders(site), ...this.#clearSiteData(req, host) };
    if (!cookieForm(host, cookies)) return pages.send(res, 'needs-https', { ...headers, ...CHALLENGE });
    const next = target.startsWith(`/${UNLOCK_PATH}`) ? '/' : safeNext(target);
    sendUnlockPage(res, { state: { kind: 'locked' }, next, abuseContact: pages.abuseContact }, headers);
  }

  /** Responds to a correct password with the cookie and a redirect, and to anything else with the unlock page. */
  async handleForm(req: IncomingMessage, res: ServerResponse, { host, site }: ProtectedVisit): Promise<void> {
    const { key, now, cookies, pages } = this.#options;
    const { abuseContact } = pages;
    const headers = uncachedHeaders(site);
    const form = cookieForm(host, cookies);
    if (!form) return pages.send(res, 'needs-https', { ...headers, ...CHALLENGE });
    if (!isSameOrigin(req, host))
      return sendUnlockPage(res, { state: { kind: 'foreign' }, next: '/', abuseContact }, headers);
    const entered = await readUnlockForm(req);
    if (entered.kind === 'gone') return;
    if (entered.kind !== 'read') return sendUnlockPage(res, { state: entered, next: '/', abuseContact }, headers);

    const outcome = await this.#attempt(req, site.deployment, entered.password);
    if (outcome.kind !== 'opened')
      return sendUnlockPage(res, { state: outcome, next: entered.next, abuseContact }, headers);
    const opening = { host, deployment: site.deployment, passwordVersion: outcome.passwordVersion };
    const cookie = `${form.name}=${createUnlockCookie(key, opening, now())}; ${form.attributes}`;
    sendEmpty(res, 303, { ...headers, Location: entered.next, 'Set-Cookie': cookie });
  }

  /** Redirects a visitor who has already unlocked the site from the form to the front page. */
  redirect(res: ServerResponse, site: Site): void {
    sendEmpty(res, 303, { ...uncachedHeaders(site), Location: '/' });
  }

  #cookieValues(req: IncomingMessage, host: string): string[] {
    const form = cookieForm(host, this.#options.cookies);
    return form ? cookiesNamed(form.name, req.headers.cookie) : [];
  }

  /**
   * Lets the browser clear what an earlier, public version of the site stored, but only when a visitor opens a page
   * without a cookie. With subresources, any other page could clear it. Source: serving S59; security T15.
   */
  #clearSiteData(req: IncomingMessage, host: string): OutgoingHttpHeaders {
    const isFirstVisit = req.headers['sec-fetch-dest'] === 'document' && this.#cookieValues(req, host).length === 0;
    return isFirstVisit ? { 'Clear-Site-Data': '"cache", "storage"' } : {};
  }

  /** Checks the password. If a dependency is unavailable, returns a state of the page that lets the visitor retry. */
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
