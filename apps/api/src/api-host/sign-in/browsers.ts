import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Browser, PROOF_COOKIE_SECONDS, SESSION_COOKIE_SECONDS } from '@berth/core';
import { cookiesNamed } from '../../http/cookies.ts';
import { isFromConsole } from './console-page.ts';

interface BrowserOptions {
  /** The address of the console. */
  baseUrl: URL;
  /** Whether cookies are set over plain http on hosts other than those of this machine. */
  allowInsecure: boolean;
  addressOf(req: IncomingMessage): string;
}

/** A cookie of the console: its name and the attributes of its `Set-Cookie`. */
interface CookieForm {
  name: string;
  attributes: string;
  maxAgeSeconds: number;
}

const LOOPBACK = /^(?:(?:.+\.)?localhost|127(?:\.\d+){3}|\[::1\])$/;
/** Only a secret of this form can be that of a cookie of the console. */
const SECRET = /^[0-9a-f]{32}$/;

/** The cookies of the console. */
export interface ConsoleCookies {
  session: CookieForm;
  /** The sign-in that the browser has begun. It must survive the way back from an OpenID Connect provider. */
  proof: CookieForm;
}

/**
 * Returns the cookies of the console. On https they are `__Host-` cookies, which no other host can set. Over plain http, browsers
 * keep no such cookies, and cookies of all ports are one: so the name contains the port.
 *
 * Source: api §13; security T43.
 */
export function consoleCookies({ protocol, port }: URL): ConsoleCookies {
  const isSecure = protocol === 'https:';
  const form = (name: string, sameSite: string, maxAgeSeconds: number): CookieForm => ({
    name: isSecure ? `__Host-${name}` : `${name}-${port || '80'}`,
    attributes: `Path=/; HttpOnly; SameSite=${sameSite}${isSecure ? '; Secure' : ''}`,
    maxAgeSeconds,
  });
  return {
    session: form('berth-session', 'Strict', SESSION_COOKIE_SECONDS),
    proof: form('berth-proof', 'Lax', PROOF_COOKIE_SECONDS),
  };
}

/** Why browsers cannot keep a session at the address of the console; `null` if they can. Source: api §13. */
export function cookieRefusal({ protocol, hostname }: URL, allowInsecure: boolean): string | null {
  if (protocol === 'https:' || allowInsecure || LOOPBACK.test(hostname)) return null;
  return 'Signing in needs https, because others in the network could read a cookie. The operator can allow it with ALLOW_INSECURE=on.';
}

/**
 * Creates the functions that find the browser of a request. The session of a request that is not from a page of the console is never
 * read. Two cookies of one name count as none. Source: api §13; security T43.
 */
export function createBrowserReader({ baseUrl, allowInsecure, addressOf }: BrowserOptions) {
  const cookies = consoleCookies(baseUrl);
  const refusal = cookieRefusal(baseUrl, allowInsecure);
  const open = (req: IncomingMessage, res: ServerResponse, isConsole: boolean): Browser => ({
    agent: req.headers['user-agent'] ?? '',
    address: addressOf(req),
    refusal,
    session: isConsole ? readSecret(req, cookies.session) : null,
    proof: readSecret(req, cookies.proof),
    keepSession: (secret) => setCookie(res, cookies.session, secret),
    keepProof: (secret) => setCookie(res, cookies.proof, secret),
    afterResponse: (work) => void (res.closed ? work() : res.once('close', () => void work())),
  });
  return {
    /** Returns the browser of a request from a page of the console; `null` for every other request. */
    ofConsole(req: IncomingMessage, res: ServerResponse): Browser | null {
      if (req.headers.authorization !== undefined || !isFromConsole(req, baseUrl)) return null;
      return open(req, res, true);
    },
    /** Returns the browser that opens a page, also when another site has sent it here: then without its session. */
    ofVisitor: (req: IncomingMessage, res: ServerResponse): Browser => open(req, res, isFromConsole(req, baseUrl)),
  };
}

/** Returns the secret in a cookie; `null` unless the request has exactly one. */
function readSecret(req: IncomingMessage, { name }: CookieForm): string | null {
  const [value, ...others] = cookiesNamed(name, req.headers.cookie);
  return value !== undefined && others.length === 0 && SECRET.test(value) ? value : null;
}

/** Sets a cookie; `null` removes it. @throws Error if the head of the response was already sent. */
function setCookie(res: ServerResponse, { name, attributes, maxAgeSeconds }: CookieForm, secret: string | null): void {
  const others = [res.getHeader('Set-Cookie') ?? []].flat().filter((line) => !String(line).startsWith(`${name}=`));
  const value = `${name}=${secret ?? ''}; ${attributes}; Max-Age=${secret === null ? 0 : maxAgeSeconds}`;
  res.setHeader('Set-Cookie', [...others.map(String), value]);
}
