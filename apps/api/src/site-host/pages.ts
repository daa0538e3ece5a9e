import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { PAGE_HEADERS } from '../http/page-headers.ts';
import { PAGE_STYLE, PAGE_STYLE_HASH } from './page-style.ts';

interface Page {
  status: number;
  title: string;
  /** Paragraphs of plain text. */
  text: readonly string[];
  /** A way on. */
  link?: { text: string; href: string };
  /** Whether the page names the request, for somebody who reports it. */
  named?: boolean;
}

const PAGES = {
  'unknown-address': {
    status: 404,
    title: 'There is nothing at this address',
    text: [
      'There may be a typing error in it, or what was here has moved or expired. If somebody gave you this link, ask them for a new one.',
    ],
  },
  'unknown-page': {
    status: 404,
    title: 'This page could not be found',
    text: [
      'The site is here, but it has no page at this address. There may be a typing error in it, or the page has moved.',
    ],
    link: { text: 'Go to the front page', href: '/' },
  },
  'no-front-page': {
    status: 404,
    title: 'This site has no front page',
    text: [
      'The site is here, but it was published without an index.html at its root. Its other addresses may well work.',
    ],
  },
  locked: {
    status: 401,
    title: 'This site is protected by a password',
    text: [
      'Its owner shares it only with people who know the password.',
      'This version of the service cannot ask you for it yet, so for now the site cannot be opened here. It is kept safe until then.',
    ],
  },
  malformed: {
    status: 400,
    title: 'This address could not be read',
    text: ['It is not written the way addresses are. Look for a stray character, such as a % that stands alone.'],
  },
  fault: {
    status: 500,
    title: 'Something went wrong on our side',
    text: ['The page could not be sent. It is nothing you did; please try again in a moment.'],
    named: true,
  },
  away: {
    status: 503,
    title: 'This site cannot be reached right now',
    text: ['The service is busy or just starting. Please try again in a moment.'],
    named: true,
  },
} as const satisfies Record<string, Page>;

/** A page of the service itself. */
export type PageName = keyof typeof PAGES;

// A mooring post with a line around it, above the water.
const MARK =
  '<rect x="14" y="9" width="20" height="6.5" rx="3.25"/><path d="M18.5 15.5 17 33M29.5 15.5 31 33"/>' +
  '<path d="M18 22c4 2 8.5 2 12 0M17.5 26.5c8 3.5 18 1 26.5-5.5"/><path d="M4 33h40"/>' +
  '<path d="M4 40c3.3-2.6 6.7-2.6 10 0s6.7 2.6 10 0 6.7-2.6 10 0 6.7 2.6 10 0"/>';
const ICON = `data:image/svg+xml,${encodeURIComponent(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="3 4 42 42" fill="none" stroke="#3d8b98" stroke-width="3">${MARK}</svg>`)}`;

const HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Cache-Control': 'no-store',
  'Content-Security-Policy': `default-src 'none'; style-src ${PAGE_STYLE_HASH}; img-src data:; form-action 'none'; base-uri 'none'; frame-ancestors 'none'`,
  ...PAGE_HEADERS,
};

/**
 * Answers with a page of the service itself: no script, nothing foreign, not stored. To HEAD it sends the headers alone.
 *
 * @param headers What this answer has beyond the headers of all such pages, or instead of them.
 * Source: serving S5, S53; security §7.
 */
export function sendPage(res: ServerResponse, name: PageName, headers: OutgoingHttpHeaders = {}): void {
  const page: Page = PAGES[name];
  const html = render(page, String(res.getHeader('X-Request-Id') ?? ''));
  res.writeHead(page.status, { ...HEADERS, ...headers, 'Content-Length': Buffer.byteLength(html) }).end(html);
}

function render({ title, text, link, named }: Page, requestId: string): string {
  const paragraphs = text.map((paragraph) => `<p>${escapeHtml(paragraph)}</p>`);
  if (link) paragraphs.push(`<p><a href="${escapeHtml(link.href)}">${escapeHtml(link.text)}</a></p>`);
  if (named && requestId !== '')
    paragraphs.push(
      `<p>If it happens again, quote this number to whoever runs the service: <code>${escapeHtml(requestId)}</code></p>`,
    );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="${ICON}">
<style>${PAGE_STYLE}</style>
</head>
<body>
<main>
<svg viewBox="3 6 42 38" fill="none" stroke="currentColor" stroke-width="1.75" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">${MARK}</svg>
<h1>${escapeHtml(title)}</h1>
${paragraphs.join('\n')}
</main>
<footer>Berth</footer>
</body>
</html>
`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
