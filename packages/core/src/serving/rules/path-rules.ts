import { fill, isLiteral } from './destination.ts';
import type { Pattern } from './pattern.ts';
import { indexPatterns } from './pattern-index.ts';
import type { PathRule, PathRules, RuleMatch } from './rules.ts';

interface PreparedRule {
  from: Pattern;
  /** The match, if it does not depend on captures; else `null`, and it is built for each path. */
  match: RuleMatch | null;
  rule: PathRule;
}

const NOTHING: readonly RuleMatch[] = [];

/** Prepares rules for matching. Matches without captures are built once. Source: serving S26, S66. */
export function preparePathRules(rules: readonly PathRule[]): PathRules {
  if (rules.length === 0) return { matches: () => NOTHING };
  const index = indexPatterns(
    rules.map((rule): PreparedRule => ({
      from: rule.from,
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
