import { MAX_PATH_SEGMENTS } from '@berth/contract';
import type { FileIntent, Intent, RequestContext } from './intent.ts';
import { hasFile } from './pages.ts';

const FALLBACK_PAGE = '200.html';
/** The media ranges that accept a page, the most specific first. */
const PAGE_RANGES = ['text/html', 'text/*', '*/*'] as const;
/** The media range that browsers send when they open a page, but not when they load a script, a style, an image or data. */
const NAMED_PAGE = ['text/html'] as const;
const EXTENSION = /\.(?!\d+$)[\da-z]{1,8}$/i;
const NO_WEIGHT = /;\s*q\s*=\s*0(?:\.0*)?\s*(?:;|$)/;

/** Returns the `200.html` of the root if a fallback may respond to the request. Source: serving S1 (step 11), S36. */
export function answerByFallback(path: string, context: RequestContext): FileIntent | null {
  return hasFile(FALLBACK_PAGE, context.site.manifest) && mayFallBack(path, context)
    ? { kind: 'file', status: 200, path: FALLBACK_PAGE, variesByAccept: true }
    : null;
}

/**
 * Whether a fallback may respond to a request: if the `Accept` header is that of a page, and names `text/html` if the path has
 * the extension of an asset. The response varies by `Accept`. Source: serving S36 to S38.
 */
export function mayFallBack(path: string, context: RequestContext): boolean {
  context.variesByAccept = true;
  return acceptsPages(context.accept, isPagePath(path) ? PAGE_RANGES : NAMED_PAGE);
}

/**
 * Returns the response for a path without a file: the nearest `404.html` in the folder of the path or in a folder above it,
 * or else the default page of the service. Source: serving S1 (step 12), S39.
 */
export function notFound(path: string, { site, variesByAccept }: RequestContext): Intent {
  for (let slash = deepestFolderEnd(path); ; slash = path.lastIndexOf('/', slash - 1)) {
    const page = `${path.slice(0, slash + 1)}404.html`;
    if (hasFile(page, site.manifest)) return { kind: 'file', status: 404, path: page, variesByAccept };
    if (slash < 0) return { kind: 'not-found', variesByAccept };
  }
}

/** The index of the last slash of a path that can end a folder with files; -1 for the root. */
function deepestFolderEnd(path: string): number {
  let folderEnd = -1;
  for (let segments = 1; segments < MAX_PATH_SEGMENTS; segments += 1) {
    const slash = path.indexOf('/', folderEnd + 1);
    if (slash < 0) break;
    folderEnd = slash;
  }
  return folderEnd;
}

/** Whether the last segment of a path has no extension, as in `/v1.2` and `/docs/`, or the extension of a page. */
function isPagePath(path: string): boolean {
  return path.endsWith('.html') || !EXTENSION.test(path);
}

/** Whether an `Accept` header accepts a page by one of these ranges. The most specific one decides. Source: RFC 9110 §12.5.1. */
function acceptsPages(accept: string | undefined, mediaRanges: readonly string[]): boolean {
  if (!accept) return mediaRanges === PAGE_RANGES;
  const ranges = accept.toLowerCase().split(',');
  for (const mediaRange of mediaRanges) {
    const matching = ranges.filter((range) => range.split(';', 1)[0]!.trim() === mediaRange);
    if (matching.length > 0) return matching.some((range) => !NO_WEIGHT.test(range));
  }
  return false;
}
