import { isOffLimits } from '../pages.ts';
import { literalStart } from './destination.ts';
import { type Placed, quote, type Warn } from './fault.ts';
import { matchPattern, subjectOf, withoutSlash } from './pattern.ts';
import type { PathRule } from './rules.ts';

/** Bounds the time for a deploy with many files and many patterns. */
const MAX_MATCHES = 200_000;

/**
 * Warns about each rule that never applies, because an earlier rule has the same path and always applies. Source: serving S26.
 *
 * @param rules The forced rules, then the others.
 */
export function warnOfRepeatedPaths(rules: readonly Placed<PathRule>[], warn: Warn): void {
  const firstPositions = new Map<string, Placed<PathRule>['position']>();
  for (const { rule, position } of rules) {
    const key = JSON.stringify([rule.host, rule.from]);
    const earlierPosition = firstPositions.get(key);
    if (earlierPosition)
      warn(
        position,
        `Never applies: ${earlierPosition.at ?? `line ${earlierPosition.line}`} has the same path and comes first.`,
      );
    else if (alwaysApplies(rule)) firstPositions.set(key, position);
  }
}

/** Whether a rule applies to every request that matches its path. Fallbacks and redirects to the same address do not. */
function alwaysApplies({ from, status, to }: PathRule): boolean {
  if (status === 404) return typeof to.path === 'string';
  if (status === 200) return typeof to.path === 'string' && (typeof from === 'string' || from.star === undefined);
  if (to.origin !== null) return true;
  const [start, head] = [literalStart(from), withoutSlash(literalStart(to.path))];
  if (typeof from === 'string' && typeof to.path === 'string') return start !== head;
  return !start.startsWith(head) && !head.startsWith(start);
}

/**
 * Warns about each line of `_redirects` that files of the deploy hide, because they come before a line without `!`. Rewrites
 * with a placeholder or a star are meant for paths without a file, and cause no warning. Source: serving S25.
 *
 * @param formOf Returns the file that is shown at a literal path, or `undefined`.
 */
export function warnOfHiddenRules(
  rules: readonly Placed<PathRule>[],
  paths: readonly string[],
  formOf: (path: string) => string | undefined,
  warn: Warn,
): void {
  const addresses = paths.filter((path) => !isOffLimits(path)).flatMap(addressesOf);
  let matchCount = 0;
  for (const { rule, position } of rules) {
    const { from, status, to } = rule;
    if (typeof from === 'string') {
      const file = formOf(from);
      const isSame = status === 200 && typeof to.path === 'string' && formOf(to.path) === file;
      if (file !== undefined && !isSame)
        warn(
          position,
          `Never applies: the file ${quote(`/${file}`)} comes first. Add ! after the code to force the line.`,
        );
    } else if (status !== 200) {
      matchCount += addresses.length;
      if (matchCount > MAX_MATCHES) return;
      const hiddenAddress = addresses.find((path) => matchPattern(from, subjectOf(path)));
      if (hiddenAddress !== undefined)
        warn(
          position,
          `Does not apply to files of this deploy, such as ${quote(`/${hiddenAddress}`)}. Add ! after the code to force the line.`,
        );
    }
  }
}

function addressesOf(path: string): string[] {
  return path.endsWith('.html') ? [path.replace(/(?:(?:^|\/)index)?\.html$/, ''), path] : [path];
}
