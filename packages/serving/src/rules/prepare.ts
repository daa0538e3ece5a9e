import { fill, isLiteral } from './destination.ts';
import { prepareHeaderRules } from './header-rules.ts';
import { indexPatterns } from './pattern-index.ts';
import type { PathRule, PathRules, RuleData, RuleMatch, SiteRules } from './rules.ts';

const NOTHING: readonly RuleMatch[] = [];

/** The rules of a site without rule files. */
export const NO_RULES: SiteRules = {
  cleanUrls: false,
  trailingSlash: null,
  forced: preparePathRules([]),
  whenMissing: preparePathRules([]),
  headers: prepareHeaderRules([]),
};

/**
 * Prepares the rules of a deployment for matching: literal ones are found in a hash map, the others are tried in order.
 *
 * @param data The stored rules; `null` gives {@link NO_RULES}. Source: serving S22, S26, S66.
 */
export function prepareRules(data: RuleData | null): SiteRules {
  if (data === null) return NO_RULES;
  return {
    cleanUrls: data.cleanUrls,
    trailingSlash: data.trailingSlash,
    forced: preparePathRules(data.forced),
    whenMissing: preparePathRules(data.whenMissing),
    headers: prepareHeaderRules(data.headers),
  };
}

/** Prepares rules for matching. Matches without captures are built once. Source: serving S26, S66. */
function preparePathRules(rules: readonly PathRule[]): PathRules {
  if (rules.length === 0) return { matches: () => NOTHING };
  const index = indexPatterns(
    rules.map((rule) => ({
      from: rule.from,
      // The match, if it does not depend on captures; else `null`, and it is built for each path.
      match: isLiteral(rule.to) ? buildMatch(rule, []) : null,
      rule,
    })),
  );
  return {
    *matches(path) {
      for (const [{ match, rule }, captures] of index.find(path)) {
        const found = match ?? buildMatch(rule, captures);
        if (found) yield found;
      }
    },
  };
}

function buildMatch({ from, status, to }: PathRule, captures: readonly string[]): RuleMatch | null {
  const target = fill(to, captures);
  if (!target) return null;
  const hasStar = typeof from !== 'string' && from.star !== undefined;
  return { status, ...target, isFallback: status === 200 && hasStar };
}
