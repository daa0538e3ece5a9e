import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { requestIdOf } from '../http/request-id.ts';
import { writePage } from '../pages/frame.ts';
import { html, type Html } from '../pages/html.ts';
import { formatDuration } from '../pages/format.ts';
import { UNLOCK_PATH } from './unlock-form.ts';

const UNREADABLE_MESSAGE = 'The form could not be read. Enter the password again.';

/** The states of the page, each with its status and the problem that it shows. */
const STATES = {
  locked: { status: 401, problem: null },
  wrong: { status: 401, problem: 'The password is incorrect. Check it and enter it again.' },
  'too-many': { status: 429, problem: 'Too many attempts. You can try again in' },
  busy: { status: 503, problem: 'The service is busy right now. Try again in' },
  foreign: { status: 403, problem: 'The password was sent from a page of another site. Enter it here instead.' },
  unreadable: { status: 400, problem: UNREADABLE_MESSAGE },
  'too-large': { status: 413, problem: UNREADABLE_MESSAGE },
} as const;

export type UnlockState =
  | { kind: Exclude<keyof typeof STATES, 'too-many' | 'busy'> }
  | { kind: 'too-many' | 'busy'; retryAfterSeconds: number };

/** The authentication scheme that a 401 must name. Browsers open no dialog for this scheme. Source: serving S58. */
export const CHALLENGE = { 'WWW-Authenticate': 'Password realm="site"' };

const TITLE = 'This site is protected by a password';

const STYLE = `
#problem { margin-top: 0.375rem; color: var(--problem); font-weight: 550 }
.entry { display: flex; flex-wrap: wrap; gap: 0.75rem; margin-top: 0.625rem }
.entry input { flex: 1 1 14rem; min-width: 0 }
`;

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
  const { status, problem: text } = STATES[state.kind];
  const retryAfterSeconds = 'retryAfterSeconds' in state ? state.retryAfterSeconds : null;
  const problem = retryAfterSeconds === null ? text : `${text} ${formatDuration(retryAfterSeconds * 1000)}.`;
  writePage(
    res,
    {
      status,
      // Screen readers read the title first, so it says that there is a problem.
      title: problem === null ? TITLE : `Error: ${TITLE}`,
      heading: TITLE,
      parts: [html`<p>Enter the password that its owner gave you.</p>`, formOf(problem, next, state.kind === 'wrong')],
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

function formOf(problem: string | null, next: string, isInvalid: boolean): Html {
  const describedBy = problem === null ? null : html` aria-describedby="problem"`;
  const invalid = isInvalid ? html` aria-invalid="true"` : null;
  return html`<form method="post" action="/${UNLOCK_PATH}">
<label for="password">Password</label>
${problem === null ? null : html`<p id="problem" role="alert">${problem}</p>\n`}<div class="entry">
<input id="password" name="password" type="password" autocomplete="current-password" autocapitalize="none" spellcheck="false" required autofocus${describedBy}${invalid}>
<button>Open the site</button>
</div>
<input type="hidden" name="next" value="${next}">
</form>`;
}
