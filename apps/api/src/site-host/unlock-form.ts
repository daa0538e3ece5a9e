import type { IncomingMessage } from 'node:http';
import { toServiceError } from '@berth/core';
import { readWholeBody } from '../http/whole-body.ts';

/** The path inside every site that is reserved for the unlock form. Source: serving S6. */
export const UNLOCK_PATH = '.berth/unlock';

/** If all characters are percent-encoded, a path of this length and the longest password still fit into the form. */
const MAX_NEXT_LENGTH = 2_048;
const MAX_BYTES = 8 * 1024;
const MAX_PARAMETERS = 5;
const MEDIA_TYPE = /^application\/x-www-form-urlencoded\s*(?:;|$)/i;
/** Matches visible ASCII after one slash. Browsers would read `//` and `/\` as the beginning of another host. */
const SAME_SITE_PATH = /^\/(?![/\\])[\x21-\x7e]*$/;

/** The fields of the form, or why they cannot be read. `gone` means that the client left or the request timed out. */
export type UnlockForm =
  | { kind: 'read'; password: string; next: string }
  | { kind: 'unreadable' | 'too-large' }
  | { kind: 'gone' };

/**
 * Whether a form was sent by a page of this host, as the browser reports. Clients that report nothing are not browsers,
 * and pass. Source: serving S60; security T16.
 *
 * @param host The host of the request, normalised.
 */
export function isSameOrigin({ headers }: IncomingMessage, host: string): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin' || site === 'none';
  if (headers.origin === undefined) return true;
  return URL.parse(headers.origin)?.hostname.replace(/\.$/, '') === host;
}

/** Reads the fields `password`, which is required, and `next`. Rejects repeated fields. Source: serving S60; security §4. */
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

/** Returns `next` if it is certainly a path of this site, and otherwise `/`. Source: serving S61; security T33. */
export function safeNext(next: string): string {
  return next.length <= MAX_NEXT_LENGTH && SAME_SITE_PATH.test(next) ? next : '/';
}
