import { type Destination, fill, isLiteral } from './destination.ts';
import type { Pattern } from './pattern.ts';
import { indexPatterns } from './pattern-index.ts';
import type { PathRules, RuleMatch, RuleStatus } from './rules.ts';

/** A redirect, rewrite or 404 rule, as a deployment keeps it. Source: serving S24, S25. */
export interface PathRule {
  from: Pattern;
  status: RuleStatus;
  to: Destination;
}

interface PreparedRule {
  from: Pattern;
  /** What it says of a path, when its captures do not matter; else it is written anew for each path. */
  match: RuleMatch | null;
  rule: PathRule;
}

const NOTHING: readonly RuleMatch[] = [];

/** Makes rules ready to be asked. What matches without captures is written once. Source: serving S26, S66. */
export function preparePathRules(rules: readonly PathRule[]): PathRules {
  if (rules.length === 0) return { matches: () => NOTHING };
  const index = indexPatterns(
    rules.map((rule): PreparedRule => ({ from: rule.from, match: isLiteral(rule.to) ? lead(rule, []) : null, rule })),
  );
  return {
    *matches(path) {
      for (const [{ match, rule }, captures] of index.find(path)) {
        const found = match ?? lead(rule, captures);
        if (found) yield found;
      }
    },
  };
}

function lead({ from, status, to }: PathRule, captures: readonly string[]): RuleMatch | null {
  const target = fill(to, captures);
  if (!target) return null;
  const hasStar = typeof from !== 'string' && from.star !== undefined;
  return { status, ...target, isFallback: status === 200 && hasStar };
}
