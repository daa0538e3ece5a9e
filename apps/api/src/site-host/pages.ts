import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { requestIdOf } from '../http/request-id.ts';
import { type RenderedPage, renderPage } from '../pages/frame.ts';
import { html, type HtmlValue, reportNote } from '../pages/html.ts';
import { REQUEST_ID_AT } from './site-headers.ts';

interface PageText {
  status: number;
  title: string;
  /** Paragraphs of plain text. */
  text: readonly string[];
  link?: { text: string; href: string };
  /** Whether the page shows the request id, so that people can report it. */
  showsRequestId?: boolean;
}

const PAGES = {
  'unknown-address': {
    status: 404,
    title: 'There is nothing at this address',
    text: [
      'The address may have a typo, or the site has moved or expired. If you got this link from someone, ask them for a new one.',
    ],
  },
  'unknown-page': {
    status: 404,
    title: 'This page could not be found',
    text: ['The site exists, but it has no page at this address. The address may have a typo, or the page has moved.'],
    link: { text: 'Go to the front page', href: '/' },
  },
  'no-front-page': {
    status: 404,
    title: 'This site has no front page',
    text: ['The site was published without an index.html in its root folder. Other pages of it may work.'],
  },
  paused: {
    status: 503,
    title: 'This site is paused',
    text: [
      'The owner must resolve a matter with the service that hosts the site. No content is lost, and the site will return to this address.',
    ],
  },
  'taken-down': {
    status: 451,
    title: 'This site has been taken down',
    text: [
      'The operator of this service made the site unavailable, because of a complaint or a legal demand. If the site is yours, contact the operator.',
    ],
  },
  'needs-https': {
    status: 401,
    title: 'This site opens over https only',
    text: [
      'The site is protected by a password. This address uses plain http, which would expose the password, so you cannot enter it here.',
      'If you operate this service, serve it over https. On a trusted network, you can set ALLOW_INSECURE to open protected sites over http too.',
    ],
  },
  malformed: {
    status: 400,
    title: 'This address could not be read',
    text: ['The address is malformed. Check it for a stray character, such as a single %.'],
  },
  fault: {
    status: 500,
    title: 'Something went wrong on our side',
    text: ['The page could not be sent. Please try again in a moment.'],
    showsRequestId: true,
  },
  away: {
    status: 503,
    title: 'This site cannot be reached right now',
    text: ['The service is busy or just starting. Please try again in a moment.'],
    showsRequestId: true,
  },
} as const satisfies Record<string, PageText>;

export type PageName = keyof typeof PAGES;

interface CachedPage extends RenderedPage {
  /** Whole heads as alternating names and values, by the additional headers that they contain. */
  heads: WeakMap<OutgoingHttpHeaders, string[]>;
}

const NO_HEADERS: OutgoingHttpHeaders = {};

/** The pages that the service sends at the addresses of sites. Caches those that are the same for every visitor. */
export class ServicePages {
  /** The URL for reports of abuse; `null` for none. Source: api §10. */
  readonly abuseContact: string | null;
  readonly #cachedPages = new Map<PageName, CachedPage>();

  constructor(abuseContact: string | null) {
    this.abuseContact = abuseContact;
  }

  /**
   * Sends a page.
   *
   * @param headers Headers that are added to those of every page, or replace them. Source: serving S5, S53; security §7.
   */
  send(res: ServerResponse, name: PageName, headers: OutgoingHttpHeaders = NO_HEADERS): void {
    const requestId = requestIdOf(res);
    const page = this.#cachedPages.get(name) ?? this.#render(name, requestId);
    const head = page.heads.get(headers) ?? headOf(page, headers);
    head[REQUEST_ID_AT] = requestId;
    res.writeHead(page.status, head).end(page.body);
  }

  #render(name: PageName, requestId: string): CachedPage {
    const { status, title, text, link, showsRequestId }: PageText = PAGES[name];
    const parts: HtmlValue[] = text.map((paragraph) => html`<p>${paragraph}</p>`);
    if (link) parts.push(html`<p><a href="${link.href}">${link.text}</a></p>`);
    if (showsRequestId) parts.push(reportNote(requestId));
    const { abuseContact } = this;
    const page: CachedPage = { ...renderPage({ status, title, parts, abuseContact }), heads: new WeakMap() };
    if (!showsRequestId) this.#cachedPages.set(name, page);
    return page;
  }
}

function headOf(page: CachedPage, headers: OutgoingHttpHeaders): string[] {
  const allHeaders = Object.entries({ ...page.headers, ...headers });
  const head = ['X-Request-Id', '', ...allHeaders.flatMap(([name, value]) => [name, String(value)])];
  page.heads.set(headers, head);
  return head;
}
