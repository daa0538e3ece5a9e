import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { requestIdOf } from '../http/request-id.ts';
import { writePage } from '../pages/frame.ts';
import { escapeHtml, paragraph } from '../pages/html.ts';
import { formatDuration } from '../pages/format.ts';
import { UNLOCK_PATH } from './unlock-form.ts';

/** Why the page is shown. */
export type UnlockState =
  /** No password was entered yet. */
  | { kind: 'locked' }
  | { kind: 'wrong' }
  | { kind: 'too-many'; retryAfterSeconds: number }
  /** Passwords cannot be checked right now. */
  | { kind: 'busy'; retryAfterSeconds: number }
  /** The form was sent by a page of another site. */
  | { kind: 'foreign' }
  /** The request is not the form. */
  | { kind: 'unreadable' }
  | { kind: 'too-large' };

/** A 401 must name an authentication scheme: this one opens no dialog of the browser. Source: serving S58. */
export const CHALLENGE = { 'WWW-Authenticate': 'Password realm="site"' };

const STATUS = {
  locked: 401,
  wrong: 401,
  'too-many': 429,
  busy: 503,
  foreign: 403,
  unreadable: 400,
  'too-large': 413,
} as const satisfies Record<UnlockState['kind'], number>;

const TITLE = 'This site is protected by a password';

const STYLE = `
#problem { margin-top: 0.375rem; color: var(--problem); font-weight: 550 }
.entry { display: flex; flex-wrap: wrap; gap: 0.75rem; margin-top: 0.625rem }
.entry input { flex: 1 1 14rem; min-width: 0 }
`;

/**
 * Answers with the page that asks for the password of a site. It reveals nothing about the site except that it has a
 * password.
 *
 * @param next Where the visitor wants to go: a path of this site.
 * @param headers Headers that add to or replace those of all pages of the service.
 * Source: serving S58, S59, S61.
 */
export function sendUnlockPage(
  res: ServerResponse,
  state: UnlockState,
  next: string,
  headers: OutgoingHttpHeaders,
): void {
  const problem = problemOf(state);
  writePage(
    res,
    {
      status: STATUS[state.kind],
      // Before the title, so that screen readers read it first.
      title: problem === null ? TITLE : `Error: ${TITLE}`,
      heading: TITLE,
      parts: [paragraph('Enter the password that its owner gave you.'), formOf(problem, next, state.kind === 'wrong')],
      style: STYLE,
      form: true,
    },
    {
      'X-Request-Id': requestIdOf(res),
      ...CHALLENGE,
      ...headers,
      ...('retryAfterSeconds' in state ? { 'Retry-After': String(state.retryAfterSeconds) } : {}),
    },
  );
}

function problemOf(state: UnlockState): string | null {
  switch (state.kind) {
    case 'locked':
      return null;
    case 'wrong':
      return 'The password is incorrect. Check it and enter it again.';
    case 'too-many':
      return `Too many attempts. You can try again in ${formatDuration(state.retryAfterSeconds * 1000)}.`;
    case 'busy':
      return `The service is busy right now. Try again in ${formatDuration(state.retryAfterSeconds * 1000)}.`;
    case 'foreign':
      return 'The password was sent from a page of another site. Enter it here instead.';
    case 'unreadable':
    case 'too-large':
      return 'The form could not be read. Enter the password again.';
    default:
      return state satisfies never;
  }
}

function formOf(problem: string | null, next: string, isInvalid: boolean): string {
  const described = problem === null ? '' : ` aria-describedby="problem"${isInvalid ? ' aria-invalid="true"' : ''}`;
  return `<form method="post" action="/${UNLOCK_PATH}">
<label for="password">Password</label>
${problem === null ? '' : `<p id="problem" role="alert">${escapeHtml(problem)}</p>\n`}<div class="entry">
<input id="password" name="password" type="password" autocomplete="current-password" autocapitalize="none" spellcheck="false" required autofocus${described}>
<button>Open the site</button>
</div>
<input type="hidden" name="next" value="${escapeHtml(next)}">
</form>`;
}
