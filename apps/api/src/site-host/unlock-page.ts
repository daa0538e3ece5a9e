import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { requestIdOf } from '../http/request-id.ts';
import { writePage } from '../pages/frame.ts';
import { html, type Html } from '../pages/html.ts';
import { formatDuration } from '../pages/format.ts';
import { chooseLanguage, type Language, LANGUAGES } from '../pages/languages/languages.ts';
import type { VisitorTexts } from '../pages/languages/texts.ts';
import { UNLOCK_PATH } from './unlock-form.ts';

/** The states of the page, each with its status and the text of the problem that it shows. */
const STATES = {
  locked: { status: 401, problem: null },
  wrong: { status: 401, problem: 'wrong' },
  'too-many': { status: 429, problem: 'tooMany' },
  busy: { status: 503, problem: 'busy' },
  foreign: { status: 403, problem: 'foreign' },
  unreadable: { status: 400, problem: 'unreadable' },
  'too-large': { status: 413, problem: 'unreadable' },
} as const;

export type UnlockState =
  | { kind: Exclude<keyof typeof STATES, 'too-many' | 'busy'> }
  | { kind: 'too-many' | 'busy'; retryAfterSeconds: number };

/** The authentication scheme that a 401 must name. Browsers open no dialog for this scheme. Source: serving S58. */
export const CHALLENGE = { 'WWW-Authenticate': 'Password realm="site"' };

const STYLE = `
#problem { margin-top: 0.375rem; color: var(--problem); font-weight: 550 }
.entry { display: flex; flex-wrap: wrap; gap: 0.75rem; margin-top: 0.625rem }
.entry input { flex: 1 1 14rem; min-width: 0 }
`;

type UnlockTexts = VisitorTexts['unlock'];

interface UnlockPage {
  state: UnlockState;
  /** The path of this site that the visitor requested. */
  next: string;
  /** The URL for reports of abuse. Default: none. */
  abuseContact?: string | null;
}

/**
 * Sends the page on which visitors enter the password of a site. It reveals nothing else about the site.
 *
 * @param headers Headers that are added to those of every page, or replace them. Source: serving S58, S59, S61.
 */
export function sendUnlockPage(
  res: ServerResponse,
  { state, next, abuseContact = null }: UnlockPage,
  headers: OutgoingHttpHeaders,
): void {
  const language = chooseLanguage(res.req.headers['accept-language']);
  const texts = LANGUAGES[language].unlock;
  const { status } = STATES[state.kind];
  const retryAfterSeconds = 'retryAfterSeconds' in state ? state.retryAfterSeconds : null;
  const problem = problemOf(texts, state, language);
  writePage(
    res,
    {
      status,
      // Screen readers read the title first, so it says that there is a problem.
      title: problem === null ? texts.title : texts.errorPrefix + texts.title,
      heading: texts.title,
      parts: [html`<p>${texts.intro}</p>`, formOf(texts, problem, next, state.kind === 'wrong')],
      language,
      style: STYLE,
      form: true,
      abuseContact,
    },
    {
      'X-Request-Id': requestIdOf(res),
      ...CHALLENGE,
      ...headers,
      ...(retryAfterSeconds === null ? {} : { 'Retry-After': String(retryAfterSeconds) }),
    },
  );
}

function problemOf(texts: UnlockTexts, state: UnlockState, language: Language): string | null {
  const { problem } = STATES[state.kind];
  if (problem === null) return null;
  if (problem !== 'tooMany' && problem !== 'busy') return texts[problem];
  const { retryAfterSeconds } = state as Extract<UnlockState, { retryAfterSeconds: number }>;
  return texts[problem](formatDuration(retryAfterSeconds * 1000, Math.ceil, language));
}

function formOf(texts: UnlockTexts, problem: string | null, next: string, isInvalid: boolean): Html {
  const describedBy = problem === null ? null : html` aria-describedby="problem"`;
  const invalid = isInvalid ? html` aria-invalid="true"` : null;
  return html`<form method="post" action="/${UNLOCK_PATH}">
<label for="password">${texts.passwordLabel}</label>
${problem === null ? null : html`<p id="problem" role="alert">${problem}</p>\n`}<div class="entry">
<input id="password" name="password" type="password" autocomplete="current-password" autocapitalize="none" spellcheck="false" required autofocus${describedBy}${invalid}>
<button>${texts.submit}</button>
</div>
<input type="hidden" name="next" value="${next}">
</form>`;
}
