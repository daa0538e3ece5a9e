import type { IncomingMessage } from 'node:http';
import { toServiceError } from '@berth/core';
import { readWholeBody } from '../http/whole-body.ts';

/** The path that is reserved for the unlock form on every host, as a path inside the site. Source: serving S6. */
export const UNLOCK_PATH = '.berth/unlock';

/** With every character escaped to three, it still fits into the form beside the longest password. */
const MAX_NEXT_LENGTH = 2_048;
const MAX_BYTES = 8 * 1024;
const MAX_PARAMETERS = 5;
const MEDIA_TYPE = /^application\/x-www-form-urlencoded\s*(?:;|$)/i;
/**
 * Visible ASCII, as in a request target: one slash, not followed by a slash or backslash, which browsers read as
 * another slash.
 */
const SAME_SITE_PATH = /^\/(?![/\\])[\x21-\x7e]*$/;

/** The content of the form, or why it cannot be read. */
export type UnlockForm =
  | { kind: 'read'; password: string; next: string }
  | { kind: 'unreadable' }
  | { kind: 'too-large' }
  /** The client left before the end, or timed out and got an answer: no answer is needed. */
  | { kind: 'gone' };

/**
 * Whether a form was sent by a page of this host, as far as the browser reports it. Clients that report nothing are not
 * browsers and pass.
 *
 * @param host The host of the request, normalised.
 * Source: serving S60; security T16.
 */
export function isSameOrigin({ headers }: IncomingMessage, host: string): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin' || site === 'none';
  if (headers.origin === undefined) return true;
  return URL.parse(headers.origin)?.hostname.replace(/\.$/, '') === host;
}

/**
 * Reads the form: `password` and `next`, each at most once, in at most 8 KiB and 5 parameters.
 *
 * Source: serving S60; security §4.
 */
export async function readUnlockForm(req: IncomingMessage): Promise<UnlockForm> {
  if (Number(req.headers['content-length'] ?? 0) > MAX_BYTES) return { kind: 'too-large' };
  const isForm = MEDIA_TYPE.test(req.headers['content-type'] ?? '');
  if (!isForm || req.headers['content-encoding'] !== undefined) return { kind: 'unreadable' };
  let text: string;
  try {
    text = (await readWholeBody(req, MAX_BYTES, 'The form')).toString();
  } catch (thrown) {
    return { kind: toServiceError(thrown).code === 'payload_too_large' ? 'too-large' : 'gone' };
  }
  if (text.split('&').length > MAX_PARAMETERS) return { kind: 'unreadable' };
  const fields = new URLSearchParams(text);
  const [passwords, nexts] = [fields.getAll('password'), fields.getAll('next')];
  if (passwords.length !== 1 || nexts.length > 1) return { kind: 'unreadable' };
  return { kind: 'read', password: passwords[0]!, next: safeNext(nexts[0] ?? '/') };
}

/**
 * Where a visitor is redirected after the right password: a path of this site, or `/` for anything that could lead
 * elsewhere.
 *
 * Source: serving S61; security T33.
 */
export function safeNext(next: string): string {
  return next.length <= MAX_NEXT_LENGTH && SAME_SITE_PATH.test(next) ? next : '/';
}
