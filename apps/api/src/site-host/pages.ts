import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { requestIdOf } from '../http/request-id.ts';
import { ResponseHead } from '../http/response-head.ts';
import { type RenderedPage, renderPage, withVary } from '../pages/frame.ts';
import { html, type HtmlValue, reportNote } from '../pages/html.ts';
import { chooseLanguage, type Language, LANGUAGES } from '../pages/languages/languages.ts';
import type { PageName } from '../pages/languages/texts.ts';

interface PageKind {
  status: number;
  /** Whether the page shows the request id, so that people can report it. */
  showsRequestId?: boolean;
}

const PAGES: Record<PageName, PageKind> = {
  'unknown-address': { status: 404 },
  'unknown-page': { status: 404 },
  'no-front-page': { status: 404 },
  expired: { status: 410 },
  paused: { status: 503 },
  'taken-down': { status: 451 },
  'needs-https': { status: 401 },
  malformed: { status: 400 },
  fault: { status: 500, showsRequestId: true },
  away: { status: 503, showsRequestId: true },
};

interface CachedPage extends RenderedPage {
  /** Whole heads, by the additional headers that they contain. */
  heads: WeakMap<OutgoingHttpHeaders, ResponseHead>;
}

const NO_HEADERS: OutgoingHttpHeaders = {};

/** The pages that the service sends at the addresses of sites. Caches those that are the same for every visitor. */
export class ServicePages {
  /** The URL for reports of abuse; `null` for none. Source: api §10. */
  readonly abuseContact: string | null;
  readonly #cachedPages = new Map<Language, Map<PageName, CachedPage>>();

  constructor(abuseContact: string | null) {
    this.abuseContact = abuseContact;
  }

  /**
   * Sends a page in the language that the visitor prefers.
   *
   * @param headers Headers that are added to those of every page, or replace them, except `Vary`, which is extended. Source:
   *   serving S5, S53; security §7.
   */
  send(res: ServerResponse, name: PageName, headers: OutgoingHttpHeaders = NO_HEADERS): void {
    const { head, body } = this.page(name, res.req.headers['accept-language'], headers, requestIdOf(res));
    head.write(res).end(body);
  }

  /** Returns a page with its head, like {@link send}. @param requestId Default: none; for pages that do not show it. */
  page(
    name: PageName,
    acceptLanguage: string | undefined,
    headers: OutgoingHttpHeaders,
    requestId = '',
  ): { head: ResponseHead; body: Buffer } {
    const language = chooseLanguage(acceptLanguage);
    const page = this.#cachedPages.get(language)?.get(name) ?? this.#render(name, language, requestId);
    return { head: page.heads.get(headers) ?? headOf(page, headers), body: page.body };
  }

  #render(name: PageName, language: Language, requestId: string): CachedPage {
    const { status, showsRequestId } = PAGES[name];
    const texts = LANGUAGES[language];
    const { title, text, link } = texts.pages[name] as { title: string; text: readonly string[]; link?: string };
    const parts: HtmlValue[] = text.map((paragraph) => html`<p>${paragraph}</p>`);
    if (link) parts.push(html`<p><a href="/">${link}</a></p>`);
    if (showsRequestId) parts.push(reportNote(requestId, texts.reportRequest));
    const { abuseContact } = this;
    const page: CachedPage = { ...renderPage({ status, title, parts, abuseContact, language }), heads: new WeakMap() };
    if (showsRequestId) return page;
    const pages = this.#cachedPages.get(language) ?? new Map<PageName, CachedPage>();
    this.#cachedPages.set(language, pages.set(name, page));
    return page;
  }
}

function headOf(page: CachedPage, headers: OutgoingHttpHeaders): ResponseHead {
  const allHeaders = Object.entries(withVary(page.headers, headers));
  const head = new ResponseHead(
    page.status,
    allHeaders.flatMap(([name, value]) => [name, String(value)]),
  );
  page.heads.set(headers, head);
  return head;
}
