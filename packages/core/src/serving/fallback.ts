import type { FileIntent } from './intent.ts';
import { findFile } from './pages.ts';
import type { Question } from './question.ts';

const FALLBACK_PAGE = '200.html';
const EXTENSION = /\.(?!\d+$)[\da-z]{1,8}$/i;
const NO_WEIGHT = /;\s*q\s*=\s*0(?:\.0*)?\s*(?:;|$)/;

/** The `200.html` at the root, for a request that may have a fallback. Source: serving S1 (step 11), S36. */
export function answerByFallback(path: string, question: Question): FileIntent | null {
  const file = findFile(FALLBACK_PAGE, question.site.manifest);
  return file && mayFallBack(path, question)
    ? { kind: 'file', status: 200, path: FALLBACK_PAGE, file, variesByAccept: true }
    : null;
}

/**
 * Whether a request is for a page, so that a fallback may answer it: by its path, then by what the visitor accepts. When
 * it comes to the latter, the answer varies by it, whichever it is.
 *
 * Source: serving S36 to S38.
 */
export function mayFallBack(path: string, question: Question): boolean {
  if (!isPagePath(path)) return false;
  question.variesByAccept = true;
  return acceptsPages(question.accept);
}

/** Whether the last segment of a path has the extension of pages or none: `/v1.2` and `/docs/` have none. */
function isPagePath(path: string): boolean {
  return path.endsWith('.html') || !EXTENSION.test(path);
}

/** Whether an `Accept` header takes `text/html`; the most specific range decides. Source: RFC 9110 §12.5.1. */
function acceptsPages(accept: string | undefined): boolean {
  if (!accept) return true;
  const ranges = accept.toLowerCase().split(',');
  for (const wanted of ['text/html', 'text/*', '*/*']) {
    const found = ranges.filter((range) => range.split(';', 1)[0]!.trim() === wanted);
    if (found.length > 0) return found.some((range) => !NO_WEIGHT.test(range));
  }
  return false;
}
