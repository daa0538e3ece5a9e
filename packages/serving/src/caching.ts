import type { Coding } from './site.ts';

const ETAG_DIGITS = 32;
const HASH_LENGTH = 8;
const DOT = 0x2e;
const DASH = 0x2d;

/**
 * The strong entity tag of a response. It is the same for the same bytes on every path, deployment and node.
 *
 * @param sha256 Hash of the uncompressed content, whatever coding is sent.
 * @param coding The coding of the response; `null` if it is not compressed.
 * @returns The tag with its quotes, such as `"0123456789abcdef0123456789abcdef-br"`. Source: serving S44.
 */
export function entityTag(sha256: string, coding: Coding | null = null): string {
  const digits = sha256.slice(0, ETAG_DIGITS);
  return coding === null ? `"${digits}"` : `"${digits}-${coding}"`;
}

/**
 * How long clients and shared caches may keep a file of a public site.
 *
 * @param path The path of the file, not of the request.
 * @param options.onDomain Whether the request came through a domain, where the same path may have other bytes later.
 * @returns The value of `Cache-Control`. Source: serving S53, S54.
 */
export function cacheControl(path: string, { onDomain = false } = {}): string {
  const isAsset = !path.endsWith('.html');
  return !onDomain && isAsset && hasHashInName(path)
    ? 'public, max-age=31536000, immutable'
    : 'public, max-age=0, must-revalidate';
}

/** True for names such as `app.4f3a9b21.js` and `index-BX1y_Abq.css`, not for `app-component.js`. Source: serving S54. */
export function hasHashInName(path: string): boolean {
  const name = path.lastIndexOf('/') + 1;
  const dot = path.lastIndexOf('.');
  const end = dot < name ? path.length : dot;
  // Start of a part that may be a hash; Infinity while there is none.
  let start = Infinity;
  let signed = false;
  for (let at = name; at < end; at += 1) {
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
  return signed && end - start >= HASH_LENGTH;
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
