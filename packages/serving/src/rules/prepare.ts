import { fillDestination, isLiteral } from './destination.ts';
import { hasPlaceholder, matchHost } from './host-pattern.ts';
import { prepareHeaderRules } from './header-rules.ts';
import { indexPatterns } from './pattern-index.ts';
import type { PathRule, PathRules, RuleData, RuleMatch, SiteRules } from './rules.ts';

const NO_MATCHES: readonly RuleMatch[] = [];

/** The rules of a site without rule files. */
export const NO_RULES: SiteRules = {
  cleanUrls: false,
  trailingSlash: null,
  forced: preparePathRules([]),
  whenMissing: preparePathRules([]),
  headers: prepareHeaderRules([]),
  dependOnHost: false,
};

/** Prepares the rules of a deployment for matching; `null` gives {@link NO_RULES}. Source: serving S22, S26, S66. */
export function prepareRules(data: RuleData | null): SiteRules {
  if (data === null) return NO_RULES;
  return {
    ...data,
    forced: preparePathRules(data.forced),
    whenMissing: preparePathRules(data.whenMissing),
    headers: prepareHeaderRules(data.headers),
    dependOnHost: [data.forced, data.whenMissing, data.headers].some((rules) => rules.some(({ host }) => host)),
  };
}

/** Prepares rules for matching. Builds matches without captures only once. Source: serving S26, S66. */
function preparePathRules(rules: readonly PathRule[]): PathRules {
  if (rules.length === 0) return { matches: () => NO_MATCHES };
  const patternIndex = indexPatterns(
    rules.map((rule) => ({
      from: rule.from,
      // `null` if the match depends on captures, and must be built for each path.
      match: isLiteral(rule.to) ? buildMatch(rule, []) : null,
      rule,
    })),
  );
  return {
    *matches(path, host) {
      for (const [{ match, rule }, captures] of patternIndex.find(path)) {
        const hostCaptures = matchHost(rule.host, host);
        if (hostCaptures === null) continue;
        const ruleMatch = match ?? buildMatch(rule, [...hostCaptures, ...captures]);
        if (ruleMatch) yield leadsToHost(ruleMatch, rule, host) ? { ...ruleMatch, origin: null } : ruleMatch;
      }
    },
  };
}

/**
 * Whether a rule whose host has a placeholder leads to the host of the request. Such a redirect stays on the host, so that it is
 * never a redirect to the same address. Source: serving S28, S30.
 */
function leadsToHost({ origin }: RuleMatch, rule: PathRule, host: string): boolean {
  const mayLeadThere = origin !== null && rule.host !== undefined && hasPlaceholder(rule.host);
  return mayLeadThere && new URL(origin).hostname === host;
}

function buildMatch({ from, status, to }: PathRule, captures: readonly string[]): RuleMatch | null {
  const target = fillDestination(to, captures);
  if (!target) return null;
  const hasStar = typeof from !== 'string' && from.star !== undefined;
  return { status, ...target, isFallback: status === 200 && hasStar };
}
