import { mayFallBack } from './fallback.ts';
import type { FileIntent, Intent, RequestContext } from './intent.ts';
import { isPage, locate } from './pages.ts';
import { formatRequestPath } from './request-path.ts';
import type { PathRules, RedirectStatus, RuleMatch } from './rules/rules.ts';

/** Maximum number of rules that match but cannot act, per request. Source: serving S65, S66. */
const MAX_FAILED = 32;

/**
 * Responds according to the first rule that matches a path and can act.
 *
 * @param path In the format of `RequestPath.path`.
 * @returns `null` if there is no such rule.
 * Source: serving S25 to S29, S36.
 */
export function answerByRule(rules: PathRules, path: string, context: RequestContext): Intent | null {
  let failed = 0;
  for (const match of rules.matches(path)) {
    const { status } = match;
    const intent =
      status === 200 || status === 404
        ? answerWithFile(status, match, path, context)
        : redirect(status, match, path, context);
    if (intent) return intent;
    failed += 1;
    if (failed === MAX_FAILED) return null;
  }
  return null;
}

/** The file at the destination of a rule, without a further rule or canonical redirect. A fallback applies only to page requests. */
function answerWithFile(status: 200 | 404, match: RuleMatch, path: string, context: RequestContext): FileIntent | null {
  const located = match.origin === null ? locate(match.path, context.site) : null;
  if (!located) return null;
  if (match.isFallback && isPage(located.path) && !mayFallBack(path, context)) return null;
  return { kind: 'file', status, path: located.path, file: located.file, variesByAccept: context.variesByAccept };
}

/** The redirect of a rule, unless its destination is the requested address itself. */
function redirect(status: RedirectStatus, match: RuleMatch, path: string, context: RequestContext): Intent | null {
  const target = formatRequestPath(match.path) + (match.query || context.query);
  if (match.origin === null && target === formatRequestPath(path) + context.query) return null;
  const location = (match.origin ?? '') + target + match.fragment;
  return { kind: 'redirect', status, location, variesByAccept: context.variesByAccept };
}
