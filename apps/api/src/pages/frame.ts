import { hash } from 'node:crypto';
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { escapeHtml } from './html.ts';
import { PAGE_ICON, PAGE_MARK } from './mark.ts';
import { PAGE_HEADERS } from './page-headers.ts';
import { PAGE_STYLE } from './style.ts';

/** A page of the service itself. */
export interface Page {
  status: number;
  /** The title of the document, as plain text. */
  title: string;
  /** The heading, as HTML. Default: the title. */
  heading?: string;
  /** The content below the heading, as HTML. */
  parts: readonly string[];
  /** Additional style rules of this page. */
  style?: string;
  /** Whether the page may submit a form to its own host. Default: false. */
  form?: boolean;
  /** Whether search engines may index it. Default: true. */
  indexed?: boolean;
}

/** A rendered page, which can be sent any number of times. */
export interface RenderedPage {
  status: number;
  headers: Readonly<OutgoingHttpHeaders>;
  body: Buffer;
}

/** Renders a page without scripts or external resources, and with no-store. Source: serving S5, S53; security T17, §7. */
export function renderPage(page: Page): RenderedPage {
  const { status, style = '', form = false, indexed = true } = page;
  const sheet = PAGE_STYLE + style;
  const body = Buffer.from(htmlOf(page, sheet));
  const policy = `default-src 'none'; style-src ${sourceOf(sheet)}; img-src data:; form-action ${form ? "'self'" : "'none'"}; base-uri 'none'; frame-ancestors 'none'`;
  const headers = {
    'Content-Type': 'text/html; charset=utf-8',
    'Cache-Control': 'no-store',
    ...(indexed ? {} : { 'X-Robots-Tag': 'noindex, nofollow' }),
    'Content-Security-Policy': policy,
    ...PAGE_HEADERS,
    'Content-Length': body.length,
  };
  return { status, headers, body };
}

/**
 * Renders a page and sends it as the response. A response to HEAD has only the headers.
 *
 * @param headers Headers that are added to those of all pages, or replace them.
 */
export function writePage(res: ServerResponse, page: Page, headers: OutgoingHttpHeaders = {}): void {
  const rendered = renderPage(page);
  res.writeHead(rendered.status, { ...rendered.headers, ...headers }).end(rendered.body);
}

/** Cached CSP sources of the few style sheets that exist. */
const sources = new Map<string, string>();

function sourceOf(sheet: string): string {
  const known = sources.get(sheet) ?? `'sha256-${hash('sha256', sheet, 'base64')}'`;
  sources.set(sheet, known);
  return known;
}

function htmlOf({ title, heading = escapeHtml(title), parts }: Page, sheet: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="${PAGE_ICON}">
<style>${sheet}</style>
</head>
<body>
<main>
${PAGE_MARK}
<h1>${heading}</h1>
${parts.join('\n')}
</main>
<footer>Berth</footer>
</body>
</html>
`;
}
