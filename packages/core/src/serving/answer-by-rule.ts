import { mayFallBack } from './fallback.ts';
import type { FileIntent, Intent } from './intent.ts';
import { isPage, locate } from './pages.ts';
import type { Question } from './question.ts';
import { formatRequestPath } from './request-path.ts';
import type { PathRules, RedirectStatus, RuleMatch } from './rules/rules.ts';

/** How many rules that match, but cannot act, are tried for one request. Source: serving S65, S66. */
const MOST_IN_VAIN = 32;

/**
 * Answers with the first rule that matches a path and can act.
 *
 * @param path As `RequestPath` has it.
 * @returns `null` when there is none.
 * Source: serving S25 to S29, S36.
 */
export function answerByRule(rules: PathRules, path: string, question: Question): Intent | null {
  let inVain = 0;
  for (const match of rules.matches(path)) {
    const { status } = match;
    const intent =
      status === 200 || status === 404
        ? answerWithFile(status, match, path, question)
        : redirect(status, match, path, question);
    if (intent) return intent;
    inVain += 1;
    if (inVain === MOST_IN_VAIN) return null;
  }
  return null;
}

/** The file a rule leads to, without a second rule or a canonical redirect; of a fallback only for a page request. */
function answerWithFile(status: 200 | 404, match: RuleMatch, path: string, question: Question): FileIntent | null {
  const located = match.origin === null ? locate(match.path, question.site) : null;
  if (!located) return null;
  if (match.isFallback && isPage(located.path) && !mayFallBack(path, question)) return null;
  return { kind: 'file', status, path: located.path, file: located.file, variesByAccept: question.variesByAccept };
}

/** The redirect of a rule, unless it leads to the very address that was asked for. */
function redirect(status: RedirectStatus, match: RuleMatch, path: string, question: Question): Intent | null {
  const target = formatRequestPath(match.path) + (match.query || question.query);
  if (match.origin === null && target === formatRequestPath(path) + question.query) return null;
  const location = (match.origin ?? '') + target + match.fragment;
  return { kind: 'redirect', status, location, variesByAccept: question.variesByAccept };
}
