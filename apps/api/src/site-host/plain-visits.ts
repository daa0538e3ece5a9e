import { isTurnOver } from '@berth/core';
import { type LiveSites, SMALL_CONTENT_BYTES, type SiteLookup } from '@berth/core/sites';
import {
  isSystemPath,
  judgeConditions,
  NO_RULES,
  parseRequestPath,
  resolve,
  type Site,
  type SiteFile,
} from '@berth/serving';
import type { PlainAnswer } from '../http/plain-answer.ts';
import type { PlainRequest } from '../http/plain-request.ts';
import type { ResponseHead } from '../http/response-head.ts';
import { type FileAnswer, type FileAnswers, formFor, notModifiedHead, type Visit } from './file-answers.ts';
import type { ServicePages } from './pages.ts';
import type { Contents } from './send-file.ts';
import { siteHeaders, withVaryAccept } from './site-headers.ts';

interface PlainVisitsOptions {
  sites: LiveSites;
  pages: ServicePages;
  answers: FileAnswers;
  contents: Contents;
}

/**
 * Answers plain requests for small files of public sites, and for missing files. All other responses are left to the site host,
 * which gives the same response to a plain request.
 */
export class PlainVisits {
  readonly #options: PlainVisitsOptions;

  constructor(options: PlainVisitsOptions) {
    this.#options = options;
  }

  /**
   * Returns a whole response, or a promise if something must be loaded. `null` if the site host must respond, also if loading
   * failed.
   */
  answer(request: PlainRequest, visit: Visit): PlainAnswer | null | Promise<PlainAnswer | null> {
    if (visit.address === null) return null;
    const site = this.#options.sites.peek(visit.address);
    if (site !== undefined) return this.#answerSite(site, request, visit);
    return this.#options.sites
      .find(visit.address)
      .then((found) => this.#answerSite(found, request, visit))
      .catch(() => null);
  }

  #answerSite(site: SiteLookup, request: PlainRequest, visit: Visit): PlainAnswer | null | Promise<PlainAnswer | null> {
    if (site === null || typeof site === 'string' || site.passwordVersion !== null) return null;
    const cachedAnswer = this.#options.answers.find(site, visit);
    return cachedAnswer ? this.#answerFile(cachedAnswer, request) : this.#decide(site, request, visit);
  }

  #decide(site: Site, request: PlainRequest, visit: Visit): PlainAnswer | null | Promise<PlainAnswer | null> {
    const path = parseRequestPath(visit.path);
    // The site host lets visits with rules wait for their turn.
    if (path === null || isSystemPath(path.path) || (site.rules !== NO_RULES && isTurnOver())) return null;
    const { method } = request;
    const intent = resolve({ method, host: visit.host, path, query: visit.query, accept: request.get('accept') }, site);
    switch (intent.kind) {
      case 'file': {
        const answer = (file: SiteFile) =>
          this.#answerFile(this.#options.answers.make(site, { intent, file }, visit, path.path), request);
        const file = site.manifest.peek(intent.path);
        return file ? answer(file) : site.manifest.load(intent.path).then(answer, () => null);
      }
      case 'not-found': {
        const { head, body } = this.#options.pages.page(
          path.path === '' && path.servable ? 'no-front-page' : 'unknown-page',
          request.get('accept-language'),
          withVaryAccept(siteHeaders(site), intent),
        );
        return toAnswer(head, method === 'HEAD' ? null : body);
      }
      default:
        return null;
    }
  }

  #answerFile(answer: FileAnswer, request: PlainRequest): PlainAnswer | null | Promise<PlainAnswer | null> {
    const { hot } = this.#options.contents;
    const isFound = answer.identity.head.status === 200;
    const form = isFound ? formFor(answer, request.get('accept-encoding')) : answer.identity;
    const ifNoneMatch = request.get('if-none-match');
    if (isFound && ifNoneMatch !== undefined && judgeConditions({ ifNoneMatch }, form.etag) === 304)
      return toAnswer(notModifiedHead(form), null);
    const { head, content } = form;
    if (request.method === 'HEAD') return toAnswer(head, null);
    if (content.length > SMALL_CONTENT_BYTES) return null;
    const cached = hot.peek(content);
    if (cached) return toAnswer(head, cached);
    return hot.read(content).then(
      (bytes) => toAnswer(head, bytes),
      () => null,
    );
  }
}

function toAnswer({ text, status }: ResponseHead, body: Buffer | null): PlainAnswer {
  return { head: text, status, body };
}
