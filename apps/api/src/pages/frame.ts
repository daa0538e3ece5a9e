import { hash } from 'node:crypto';
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { html, type Html, type HtmlValue, rawHtml } from './html.ts';
import { DEFAULT_LANGUAGE, type Language, LANGUAGES } from './languages/languages.ts';
import { PAGE_STYLE } from './style.ts';

const DENIED_FEATURES =
  'camera display-capture fullscreen geolocation hid microphone midi payment publickey-credentials-get serial usb';

/** The headers of every page of the service, except Content-Security-Policy. Source: security §7. */
export const PAGE_HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  // With `no-referrer`, browsers send forms with `Origin: null`.
  'Referrer-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy': DENIED_FEATURES.split(' ')
    .map((feature) => `${feature}=()`)
    .join(', '),
} as const;

/** The logo of the service: a mooring post with a rope around it, above the water. */
const LOGO_PATHS =
  '<rect x="14" y="9" width="20" height="6.5" rx="3.25"/><path d="M18.5 15.5 17 33M29.5 15.5 31 33"/>' +
  '<path d="M18 22c4 2 8.5 2 12 0M17.5 26.5c8 3.5 18 1 26.5-5.5"/><path d="M4 33h40"/>' +
  '<path d="M4 40c3.3-2.6 6.7-2.6 10 0s6.7 2.6 10 0 6.7-2.6 10 0 6.7 2.6 10 0"/>';

const LOGO = rawHtml(
  `<svg width="68" height="62" viewBox="3 6 42 38" fill="none" stroke="currentColor" stroke-width="1.75" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">${LOGO_PATHS}</svg>`,
);

const FAVICON_URL = `data:image/svg+xml,${encodeURIComponent(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="3 4 42 42" fill="none" stroke="#3d8b98" stroke-width="3">${LOGO_PATHS}</svg>`)}`;

export interface Page {
  status: number;
  /** The title of the document, as plain text. */
  title: string;
  /** The heading of the page. Default: the title of the document. */
  heading?: HtmlValue;
  /** The HTML that follows the heading. */
  parts: readonly HtmlValue[];
  /** Additional style rules of this page. */
  style?: string;
  /** Whether the page may submit a form to its own host. Default: false. */
  form?: boolean;
  /** Whether search engines may index the page. Default: true. */
  indexed?: boolean;
  /** The language of a page that exists in several. Such a page depends on `Accept-Language`. Default: the page is English. */
  language?: Language;
  /** The URL for reports of abuse, which the footer links to. Default: none. */
  abuseContact?: string | null;
}

export interface RenderedPage {
  status: number;
  headers: Readonly<OutgoingHttpHeaders>;
  body: Buffer;
}

/** Renders a page without scripts and external resources, and with no-store. Source: serving S5, S53; security T17, §7. */
export function renderPage(page: Page): RenderedPage {
  const { status, style = '', form = false, indexed = true, language } = page;
  const sheet = PAGE_STYLE + style;
  const body = Buffer.from(htmlOf(page, sheet).markup);
  const policy = `default-src 'none'; style-src ${sourceOf(sheet)}; img-src data:; form-action ${form ? "'self'" : "'none'"}; base-uri 'none'; frame-ancestors 'none'`;
  const headers = {
    'Content-Type': 'text/html; charset=utf-8',
    'Cache-Control': 'no-store',
    ...(language ? { 'Content-Language': language, Vary: 'Accept-Language' } : {}),
    ...(indexed ? {} : { 'X-Robots-Tag': 'noindex, nofollow' }),
    'Content-Security-Policy': policy,
    ...PAGE_HEADERS,
    'Content-Length': body.length,
  };
  return { status, headers, body };
}

/** Renders and sends a page. @param headers Headers that are added to those of every page, or replace them. */
export function writePage(res: ServerResponse, page: Page, headers: OutgoingHttpHeaders = {}): void {
  const rendered = renderPage(page);
  res.writeHead(rendered.status, withVary(rendered.headers, headers)).end(rendered.body);
}

/** Adds headers to those of a page, or replaces them. `Vary` is extended, because a response depends on both. */
export function withVary(page: RenderedPage['headers'], headers: OutgoingHttpHeaders): OutgoingHttpHeaders {
  const vary = [page['Vary'], headers['Vary']].filter((value) => value !== undefined);
  return { ...page, ...headers, ...(vary.length > 0 ? { Vary: vary.join(', ') } : {}) };
}

/** The Content-Security-Policy sources of all style sheets; there are only a few. */
const cachedSources = new Map<string, string>();

function sourceOf(sheet: string): string {
  const source = cachedSources.get(sheet) ?? `'sha256-${hash('sha256', sheet, 'base64')}'`;
  cachedSources.set(sheet, source);
  return source;
}

function htmlOf(page: Page, sheet: string): Html {
  const { title, heading = title, parts, abuseContact = null, language = DEFAULT_LANGUAGE } = page;
  return html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="${rawHtml(FAVICON_URL)}">
<style>${rawHtml(sheet)}</style>
</head>
<body>
<main>
${LOGO}
<h1>${heading}</h1>
${parts}
</main>
<footer>Berth${abuseContact === null ? null : html` · <a href="${abuseContact}" rel="nofollow">${LANGUAGES[language].reportAbuse}</a>`}</footer>
</body>
</html>
`;
}
