import type { Coding } from './site.ts';

const ETAG_DIGITS = 32;
const HASH_LENGTH = 8;
const DOT = 0x2e;
const DASH = 0x2d;

/**
 * Returns the strong entity tag of a response, which is the same for the same bytes on every path, deployment and server.
 *
 * @param sha256 The hash of the uncompressed content, even if a compressed form is sent.
 * @param coding The coding of the response; `null` if it is not compressed.
 * @returns The tag with its quotes, such as `"0123456789abcdef0123456789abcdef-br"`. Source: serving S44.
 */
export function entityTag(sha256: string, coding: Coding | null = null): string {
  const digits = sha256.slice(0, ETAG_DIGITS);
  return coding === null ? `"${digits}"` : `"${digits}-${coding}"`;
}

/**
 * Returns the value of `Cache-Control` for a file of a public site. Source: serving S53, S54.
 *
 * @param path The path of the file, not of the request.
 * @param options.onDomain Whether the request came through a domain. After the domain is linked to another deployment, the
 *   same path may have other bytes.
 */
export function cacheControl(path: string, { onDomain = false } = {}): string {
  return !onDomain && !path.endsWith('.html') && hasHashInName(path)
    ? 'public, max-age=31536000, immutable'
    : 'public, max-age=0, must-revalidate';
}

/** True for a name with a hash, such as `app.4f3a9b21.js` or `index-BX1y_Abq.css`, but not `app-component.js`. Source: serving S54. */
export function hasHashInName(path: string): boolean {
  const name = path.lastIndexOf('/') + 1;
  const dot = path.lastIndexOf('.');
  const nameEnd = dot < name ? path.length : dot;
  // The start of a part that may be a hash; Infinity while no part may be one.
  let start = Infinity;
  let signed = false;
  for (let at = name; at < nameEnd; at += 1) {
    const char = path.charCodeAt(at);
    if (char === DOT) {
      if (signed && at - start >= HASH_LENGTH) return true;
      start = at + 1;
      signed = false;
    } else if (char === DASH) start = Math.min(start, at + 1);
    else if (!isWord(char)) {
      start = Infinity;
      signed = false;
    } else if ((isDigit(char) && at >= start) || (isCapital(char) && at > start)) signed = true;
  }
  return signed && nameEnd - start >= HASH_LENGTH;
}

function isDigit(char: number): boolean {
  return char >= 0x30 && char <= 0x39;
}

function isCapital(char: number): boolean {
  return char >= 0x41 && char <= 0x5a;
}

function isWord(char: number): boolean {
  return isDigit(char) || isCapital(char) || (char >= 0x61 && char <= 0x7a) || char === 0x5f;
}
