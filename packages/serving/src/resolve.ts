import { answerByFallback, mayFallBack, notFound } from './fallback.ts';
import type { FileIntent, Intent, RequestContext } from './intent.ts';
import { isOffLimits, isPage, locateFile, type Located } from './pages.ts';
import { formatRequestPath, type RequestPath } from './request-path.ts';
import type { PathRules, RedirectStatus, RuleMatch } from './rules/rules.ts';

/** The maximum number of rules per request that match but cannot act. Source: serving S65, S66. */
const MAX_FAILED_RULES = 32;

interface VisitRequest extends Pick<RequestContext, 'host' | 'query' | 'accept'> {
  method: string;
  path: RequestPath;
}

/**
 * Decides how to respond to a request.
 *
 * Never reveals a withheld file. A canonical redirect stays on the same host and reaches a 200 in one hop. A path that is not
 * clean is never served: it redirects to the clean path, or where the clean path redirects.
 * Source: serving S1 (steps 6 to 12), S8, S9, S12, S42.
 */
export function resolve(
  { method, host, path: requested, query, accept }: VisitRequest,
  site: RequestContext['site'],
): Intent {
  if (method === 'OPTIONS') return { kind: 'options' };
  if (method !== 'GET' && method !== 'HEAD') return { kind: 'method-not-allowed' };

  const { path } = requested;
  const context: RequestContext = { site, host, query, accept, variesByAccept: false };
  if (!requested.servable || isOffLimits(path)) return notFound(path, context);

  const intent = decideIntent(path, context);
  return !requested.clean && intent.kind === 'file' && intent.status === 200
    ? redirectToCanonical(path, context)
    : intent;
}

function decideIntent(path: string, context: RequestContext): Intent {
  const { rules } = context.site;
  return (
    answerByRule(rules.forced, path, context) ??
    answerByFile(path, context) ??
    answerByRule(rules.whenMissing, path, context) ??
    answerByFallback(path, context) ??
    notFound(path, context)
  );
}

/** Returns the response of the first rule that matches a path and can act, or `null`. Source: serving S25 to S29, S36. */
function answerByRule(rules: PathRules, path: string, context: RequestContext): Intent | null {
  let failedRules = 0;
  for (const ruleMatch of rules.matches(path, context.host)) {
    const { status } = ruleMatch;
    const intent =
      status === 200 || status === 404
        ? fileOf(status, ruleMatch, path, context)
        : redirectOf(status, ruleMatch, path, context);
    if (intent) return intent;
    failedRules += 1;
    if (failedRules === MAX_FAILED_RULES) return null;
  }
  return null;
}

/** Returns the file at the destination of a rule. No further rule or canonical redirect applies to the destination. */
function fileOf(status: 200 | 404, match: RuleMatch, path: string, context: RequestContext): FileIntent | null {
  const locatedFile = match.origin === null ? locateFile(match.path, context.site) : null;
  if (!locatedFile) return null;
  if (match.isFallback && isPage(locatedFile.path) && !mayFallBack(path, context)) return null;
  return {
    kind: 'file',
    status,
    path: locatedFile.path,
    variesByAccept: context.variesByAccept,
  };
}

/** Returns the redirect of a rule; `null` if the destination is the requested address itself. */
function redirectOf(status: RedirectStatus, match: RuleMatch, path: string, context: RequestContext): Intent | null {
  const target = formatRequestPath(match.path) + (match.query || context.query);
  if (match.origin === null && target === formatRequestPath(path) + context.query) return null;
  const location = (match.origin ?? '') + target + match.fragment;
  return { kind: 'redirect', status, location, variesByAccept: context.variesByAccept };
}

function answerByFile(path: string, context: RequestContext): Intent | null {
  const locatedFile = locateFile(path, context.site);
  if (!locatedFile) return null;
  if (locatedFile.address !== path && isServedAtAddress(locatedFile, context))
    return redirectToCanonical(locatedFile.address, context);
  return {
    kind: 'file',
    status: 200,
    path: locatedFile.path,
    variesByAccept: context.variesByAccept,
  };
}

/** Whether a request for the canonical address of a file returns this file under all rules. Source: serving S17, S18. */
function isServedAtAddress({ path, address }: Located, context: RequestContext): boolean {
  if (isOffLimits(address)) return false;
  const ruledIntent = answerByRule(context.site.rules.forced, address, context);
  if (ruledIntent) return ruledIntent.kind === 'file' && ruledIntent.status === 200 && ruledIntent.path === path;
  return locateFile(address, context.site)?.path === path;
}

function redirectToCanonical(path: string, { query, variesByAccept }: RequestContext): Intent {
  return { kind: 'canonical', location: formatRequestPath(path) + query, variesByAccept };
}
