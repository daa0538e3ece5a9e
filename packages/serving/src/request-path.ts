import { isLonger, MAX_PATH_BYTES, MAX_SEGMENT_BYTES } from '@berth/contract';

/** The path of a request, decoded and resolved. */
export interface RequestPath {
  /**
   * The path inside the site, decoded and in NFC, without the leading slash and without empty, `.` and `..` segments: `a/b.html`,
   * `docs/` for a folder, empty for the front page. If not {@link servable}, the folder where the search for a 404 page starts.
   */
  path: string;
  /** Whether the client sent the path without empty, `.` or `..` segments. */
  clean: boolean;
  /** False if the path can never be a file, because it has an encoded slash in a segment, leaves the site, or is too long. */
  servable: boolean;
}

// Matches a path without `%`, `\`, empty segments and segments that start with a dot. Such a path needs no decoding.
const PLAIN = /^(?:\/(?![/.])[!-$&-.0-[\]-~]*)+$/;
// Matches a path of visible ASCII. All other characters must be percent-encoded.
const RAW_PATH = /^\/[\x21-\x7e]*$/;
const CONTROL = /\p{Cc}/u;
const SEPARATOR = /[/\\]/;

/**
 * Parses the path of a request target: decodes it exactly once, as UTF-8, and normalises it to NFC.
 *
 * @param raw The request target up to `?`, as sent.
 * @returns `null` for a malformed path: an invalid `%` sequence, bytes that are not UTF-8, control characters.
 * Source: serving S7 to S10.
 */
export function parseRequestPath(raw: string): RequestPath | null {
  if (raw.length <= MAX_SEGMENT_BYTES && PLAIN.test(raw)) return { path: raw.slice(1), clean: true, servable: true };
  if (!RAW_PATH.test(raw)) return null;
  const sentSegments = decodeSegments(raw.slice(1));
  if (sentSegments === null) return null;

  const segments: string[] = [];
  let isClean = true;
  for (const [index, segment] of sentSegments.entries()) {
    if (SEPARATOR.test(segment)) return unservablePath(segments);
    if (segment === '..' && segments.length === 0) return unservablePath([]);
    if (segment === '..') segments.pop();
    else if (segment !== '' && segment !== '.') segments.push(segment);
    const endsInSlash = segment === '' && index === sentSegments.length - 1;
    if (isEmptyOrDots(segment) && !endsInSlash) isClean = false;
  }
  const path = isEmptyOrDots(sentSegments.at(-1)!) ? folderOf(segments) : segments.join('/');
  const tooLong = isLonger(path, MAX_PATH_BYTES) || segments.some((segment) => isLonger(segment, MAX_SEGMENT_BYTES));
  return tooLong ? unservablePath([]) : { path, clean: isClean, servable: true };
}

/** Formats a path inside a site as the path of a URL: one leading slash, every segment percent-encoded. Source: serving S13. */
export function formatRequestPath(path: string): string {
  return `/${encodeURI(path.replace(/^\/+/, '')).replace(/[?#]/g, encodeURIComponent)}`;
}

/** Whether a path is reserved for the service on every host. Source: serving S6. */
export function isSystemPath(path: string): boolean {
  return path.startsWith('.berth/') || path.startsWith('.well-known/acme-challenge/');
}

function decodeSegments(raw: string): string[] | null {
  if (!raw.includes('%')) return raw.split('/');
  try {
    const segments = raw.split('/').map((segment) => decodeURIComponent(segment).normalize('NFC'));
    return segments.some((segment) => CONTROL.test(segment)) ? null : segments;
  } catch {
    return null;
  }
}

/** Whether a segment of a path is empty, `.` or `..`. */
export function isEmptyOrDots(segment: string): boolean {
  return segment === '' || segment === '.' || segment === '..';
}

function folderOf(segments: readonly string[]): string {
  return segments.length === 0 ? '' : `${segments.join('/')}/`;
}

function unservablePath(segments: readonly string[]): RequestPath {
  const folder = folderOf(segments);
  return { path: isLonger(folder, MAX_PATH_BYTES) ? '' : folder, clean: true, servable: false };
}
