import type { FileIntent, Intent, RequestContext } from './intent.ts';
import { findFile } from './pages.ts';

const FALLBACK_PAGE = '200.html';
const EXTENSION = /\.(?!\d+$)[\da-z]{1,8}$/i;
const NO_WEIGHT = /;\s*q\s*=\s*0(?:\.0*)?\s*(?:;|$)/;

/** Answers with the `200.html` of the root if the request may have a fallback. Source: serving S1 (step 11), S36. */
export function answerByFallback(path: string, context: RequestContext): FileIntent | null {
  const file = findFile(FALLBACK_PAGE, context.site.manifest);
  return file && mayFallBack(path, context)
    ? { kind: 'file', status: 200, path: FALLBACK_PAGE, file, variesByAccept: true }
    : null;
}

/**
 * Whether a request is for a page, so that a fallback may answer it. Checks the path first, then the `Accept` header. If the
 * header is checked, the response varies by it, whatever the result.
 *
 * Source: serving S36 to S38.
 */
export function mayFallBack(path: string, context: RequestContext): boolean {
  if (!isPagePath(path)) return false;
  context.variesByAccept = true;
  return acceptsPages(context.accept);
}

/**
 * The response for a path without a file: the nearest `404.html`, in the folder of the path, then in each parent up to the
 * root; else the default page of the service.
 *
 * @param path In the format of `RequestPath.path`.
 * Source: serving S1 (step 12), S39.
 */
export function notFound(path: string, { site, variesByAccept }: RequestContext): Intent {
  for (let slash = path.lastIndexOf('/'); ; slash = path.lastIndexOf('/', slash - 1)) {
    const page = `${path.slice(0, slash + 1)}404.html`;
    const file = findFile(page, site.manifest);
    if (file) return { kind: 'file', status: 404, path: page, file, variesByAccept };
    if (slash < 0) return { kind: 'not-found', variesByAccept };
  }
}

/** Whether the last segment of a path has no extension or that of a page. `/v1.2` and `/docs/` have no extension. */
function isPagePath(path: string): boolean {
  return path.endsWith('.html') || !EXTENSION.test(path);
}

/** Whether an `Accept` header accepts `text/html`; the most specific range decides. Source: RFC 9110 §12.5.1. */
function acceptsPages(accept: string | undefined): boolean {
  if (!accept) return true;
  const ranges = accept.toLowerCase().split(',');
  for (const wanted of ['text/html', 'text/*', '*/*']) {
    const found = ranges.filter((range) => range.split(';', 1)[0]!.trim() === wanted);
    if (found.length > 0) return found.some((range) => !NO_WEIGHT.test(range));
  }
  return false;
}
