import { fillDestination, isLiteral } from './destination.ts';
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
  const index = indexPatterns(
    rules.map((rule) => ({
      from: rule.from,
      // `null` if the match depends on captures, and must be built for each path.
      match: isLiteral(rule.to) ? buildMatch(rule, []) : null,
      rule,
    })),
  );
  return {
    *matches(path, host) {
      for (const [{ match, rule }, captures] of index.find(path)) {
        if (rule.host !== undefined && rule.host !== host) continue;
        const ruleMatch = match ?? buildMatch(rule, captures);
        if (ruleMatch) yield ruleMatch;
      }
    },
  };
}

function buildMatch({ from, status, to }: PathRule, captures: readonly string[]): RuleMatch | null {
  const target = fillDestination(to, captures);
  if (!target) return null;
  const hasStar = typeof from !== 'string' && from.star !== undefined;
  return { status, ...target, isFallback: status === 200 && hasStar };
}
