import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { PAGE_HEADERS } from '../http/page-headers.ts';
import { PAGE_STYLE, PAGE_STYLE_HASH } from './page-style.ts';

/** What a page of the service itself says. */
export interface Page {
  status: number;
  title: string;
  /** Paragraphs of plain text. */
  text: readonly string[];
  /** A way on. */
  link?: { text: string; href: string };
  /** Whether the page names the request, for somebody who reports it. */
  named?: boolean;
  /** A form below the text, as HTML. It can only be sent to this host. */
  form?: string;
  /** What stands before the title in the window's own title, so that it is read out first. */
  prefix?: string;
}

// A mooring post with a line around it, above the water.
const MARK =
  '<rect x="14" y="9" width="20" height="6.5" rx="3.25"/><path d="M18.5 15.5 17 33M29.5 15.5 31 33"/>' +
  '<path d="M18 22c4 2 8.5 2 12 0M17.5 26.5c8 3.5 18 1 26.5-5.5"/><path d="M4 33h40"/>' +
  '<path d="M4 40c3.3-2.6 6.7-2.6 10 0s6.7 2.6 10 0 6.7-2.6 10 0 6.7 2.6 10 0"/>';
const ICON = `data:image/svg+xml,${encodeURIComponent(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="3 4 42 42" fill="none" stroke="#3d8b98" stroke-width="3">${MARK}</svg>`)}`;

/**
 * Answers with a page of the service itself: no script, nothing foreign, not stored. To HEAD it sends the headers alone.
 *
 * @param headers What this answer has beyond the headers of all such pages, or instead of them.
 * Source: serving S5, S53; security §7.
 */
export function writePage(res: ServerResponse, page: Page, headers: OutgoingHttpHeaders = {}): void {
  const html = render(page, String(res.getHeader('X-Request-Id') ?? ''));
  const formTarget = page.form === undefined ? `'none'` : `'self'`;
  res
    .writeHead(page.status, {
      'Content-Type': 'text/html; charset=utf-8',
      'Cache-Control': 'no-store',
      'Content-Security-Policy': `default-src 'none'; style-src ${PAGE_STYLE_HASH}; img-src data:; form-action ${formTarget}; base-uri 'none'; frame-ancestors 'none'`,
      ...PAGE_HEADERS,
      ...headers,
      'Content-Length': Buffer.byteLength(html),
    })
    .end(html);
}

/** A text as HTML, also between quotes. Source: security T17. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

function render({ title, text, link, named, form, prefix = '' }: Page, requestId: string): string {
  const parts = text.map((paragraph) => `<p>${escapeHtml(paragraph)}</p>`);
  if (link) parts.push(`<p><a href="${escapeHtml(link.href)}">${escapeHtml(link.text)}</a></p>`);
  if (form !== undefined) parts.push(form);
  if (named && requestId !== '')
    parts.push(
      `<p>If it happens again, quote this number to whoever runs the service: <code>${escapeHtml(requestId)}</code></p>`,
    );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(prefix + title)}</title>
<link rel="icon" href="${ICON}">
<style>${PAGE_STYLE}</style>
</head>
<body>
<main>
<svg viewBox="3 6 42 38" fill="none" stroke="currentColor" stroke-width="1.75" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">${MARK}</svg>
<h1>${escapeHtml(title)}</h1>
${parts.join('\n')}
</main>
<footer>Berth</footer>
</body>
</html>
`;
}
