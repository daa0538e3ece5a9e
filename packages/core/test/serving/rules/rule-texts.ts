import { fill } from '../../../src/serving/rules/destination.ts';
import type { Warn } from '../../../src/serving/rules/fault.ts';
import type { HeaderRule, PathRule } from '../../../src/serving/rules/rules.ts';
import type { Pattern } from '../../../src/serving/rules/pattern.ts';
import { formatRequestPath } from '../../../src/serving/request-path.ts';

/** Collects the warnings of a parser: `3: Skipped: ...`, `rewrites[0].source: Skipped: ...`. */
export function collectWarnings(): { warn: Warn; warnings: string[] } {
  const warnings: string[] = [];
  return {
    warnings,
    warn: ({ line, at }, message) => void warnings.push(`${line ?? at}: ${message}`),
  };
}

/** Formats a rule as one line: `/old/* -> 301 /new/{0}`. Captures are `{0}`, `{1}` and so on. */
export function formatRule({ from, status, to }: PathRule): string {
  const captures = typeof from === 'string' ? [] : Array.from({ length: 20 }, (_, n) => `{${n}}`);
  const { origin, path, query, fragment } = fill(to, captures)!;
  const address = `${origin ?? ''}${formatRequestPath(path)}${query}${fragment}`;
  return `${formatPattern(from)} -> ${status} ${decodeURI(address)}`;
}

/** Formats a header rule as one line: `/*: A=1 -B`. */
export function formatHeaders({ from, steps }: HeaderRule): string {
  return `${formatPattern(from)}: ${steps.map(([name, value]) => (value === null ? `-${name}` : `${name}=${value}`)).join(' ')}`;
}

function formatPattern(pattern: Pattern): string {
  if (typeof pattern === 'string') return `/${pattern}`;
  return `/${pattern.texts.join(':')}${pattern.star ? `*${pattern.star.tail}` : ''}`;
}
