import { fill } from '../../../src/serving/rules/destination.ts';
import type { Warn } from '../../../src/serving/rules/fault.ts';
import type { HeaderRule } from '../../../src/serving/rules/header-rules.ts';
import type { PathRule } from '../../../src/serving/rules/path-rules.ts';
import type { Pattern } from '../../../src/serving/rules/pattern.ts';
import { formatRequestPath } from '../../../src/serving/request-path.ts';

/** Collects what a parser says of a file: `3: Skipped: ...`, `rewrites[0].source: Skipped: ...`. */
export function listen(): { warn: Warn; warnings: string[] } {
  const warnings: string[] = [];
  return {
    warnings,
    warn: ({ line, at }, message) => void warnings.push(`${line ?? at}: ${message}`),
  };
}

/** A rule in one line: `/old/* -> 301 /new/{0}`. Captures are `{0}`, `{1}` and so on. */
export function toldRule({ from, status, to }: PathRule): string {
  const captures = typeof from === 'string' ? [] : Array.from({ length: 20 }, (_, n) => `{${n}}`);
  const { origin, path, query, fragment } = fill(to, captures)!;
  const address = `${origin ?? ''}${formatRequestPath(path)}${query}${fragment}`;
  return `${toldPattern(from)} -> ${status} ${decodeURI(address)}`;
}

/** A header rule in one line: `/*: A=1 -B`. */
export function toldHeaders({ from, steps }: HeaderRule): string {
  return `${toldPattern(from)}: ${steps.map(([name, value]) => (value === null ? `-${name}` : `${name}=${value}`)).join(' ')}`;
}

function toldPattern(pattern: Pattern): string {
  if (typeof pattern === 'string') return `/${pattern}`;
  return `/${pattern.texts.join(':')}${pattern.star ? `*${pattern.star.tail}` : ''}`;
}
