import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { requestIdOf } from '../http/request-id.ts';
import { type RenderedPage, renderPage } from '../pages/frame.ts';
import { escapeHtml, paragraph, reportNote } from '../pages/html.ts';
import { REQUEST_ID_AT } from './site-headers.ts';

interface PageText {
  status: number;
  title: string;
  /** Paragraphs of plain text. */
  text: readonly string[];
  /** Where the page leads. */
  link?: { text: string; href: string };
  /** Whether the page shows the request id, for people who report it. */
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
  paused: {
    status: 503,
    title: 'This site is paused',
    text: [
      'Its owner has to settle something with the service that hosts it. Nothing is lost; once that is done, the site is back at this address.',
    ],
  },
  'taken-down': {
    status: 451,
    title: 'This site has been taken down',
    text: [
      'Whoever runs this service has removed it from view, because of a complaint or a legal demand. If it is yours, get in touch with them.',
    ],
  },
  'needs-https': {
    status: 401,
    title: 'This site opens over https only',
    text: [
      'It is protected by a password. This address is plain http, where a password can be read on its way, so none is asked for here.',
      'If you run this service, give it an https address; on a network that you trust, the setting ALLOW_INSECURE opens protected sites over http as well.',
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
    text: ['The page could not be sent. Please try again in a moment.'],
    named: true,
  },
  away: {
    status: 503,
    title: 'This site cannot be reached right now',
    text: ['The service is busy or just starting. Please try again in a moment.'],
    named: true,
  },
} as const satisfies Record<string, PageText>;

/** The name of a page of the service. */
export type PageName = keyof typeof PAGES;

/** A page with the heads it was sent with, as alternating names and values, by the headers they were made from. */
interface KnownPage extends RenderedPage {
  heads: WeakMap<OutgoingHttpHeaders, string[]>;
}

/** The pages that are the same for every visitor. They are cached, because pages such as 404 are sent often. */
const known = new Map<PageName, KnownPage>();
const NO_HEADERS: OutgoingHttpHeaders = {};

/**
 * Answers with a page of the service: no script, no external resources, not stored. HEAD gets only the headers.
 *
 * @param headers Headers of this answer that add to or replace those of all such pages.
 * Source: serving S5, S53; security §7.
 */
export function sendPage(res: ServerResponse, name: PageName, headers: OutgoingHttpHeaders = NO_HEADERS): void {
  const requestId = requestIdOf(res);
  const page = known.get(name) ?? render(name, requestId);
  const head = page.heads.get(headers) ?? headOf(page, headers);
  head[REQUEST_ID_AT] = requestId;
  res.writeHead(page.status, head).end(page.body);
}

function headOf(page: KnownPage, headers: OutgoingHttpHeaders): string[] {
  const all = Object.entries({ ...page.headers, ...headers });
  const head = ['X-Request-Id', '', ...all.flatMap(([name, value]) => [name, String(value)])];
  page.heads.set(headers, head);
  return head;
}

function render(name: PageName, requestId: string): KnownPage {
  const { status, title, text, link, named }: PageText = PAGES[name];
  const parts = text.map(paragraph);
  if (link) parts.push(`<p><a href="${escapeHtml(link.href)}">${escapeHtml(link.text)}</a></p>`);
  if (named) parts.push(reportNote(requestId));
  const page: KnownPage = { ...renderPage({ status, title, parts }), heads: new WeakMap() };
  if (!named) known.set(name, page);
  return page;
}
