import { fillDestination, type Template } from '../../src/rules/destination.ts';
import type { Warn } from '../../src/rules/fault.ts';
import type { HeaderRule, PathRule } from '../../src/rules/rules.ts';
import type { Pattern } from '../../src/rules/pattern.ts';
import { formatRequestPath } from '../../src/request-path.ts';

/** Collects the warnings of a parser: `3: Skipped: ...`, `rewrites[0].source: Skipped: ...`. */
export function collectWarnings(): { warn: Warn; warnings: string[] } {
  const warnings: string[] = [];
  return {
    warnings,
    warn: ({ line, at }, message) => void warnings.push(`${line ?? at}: ${message}`),
  };
}

/** Formats a rule as one line: `/old/* -> 301 /new/{0}`. Captures are `{0}`, `{1}` and so on. */
export function formatRule({ host, from, status, to }: PathRule): string {
  const captures = Array.from({ length: 20 }, (_, n) => `{${n}}`);
  const { origin, path, query, fragment } = fillDestination(to, captures)!;
  const address = `${origin ?? ''}${formatRequestPath(path)}${query}${fragment}`;
  return `${formatPattern(from, host)} -> ${status} ${decodeURI(address)}`;
}

/** Formats a header rule as one line: `/*: A=1 -B`. */
export function formatHeaders({ host, from, steps }: HeaderRule): string {
  const formatted = steps.map(([name, value]) => (value === null ? `-${name}` : `${name}=${formatValue(value)}`));
  return `${formatPattern(from, host)}: ${formatted.join(' ')}`;
}

function formatValue(value: Template): string {
  return typeof value === 'string'
    ? value
    : value.map((piece) => (typeof piece === 'string' ? piece : `{${piece}}`)).join('');
}

function formatPattern(pattern: Pattern, host?: string): string {
  const start = host === undefined ? '/' : `//${host}/`;
  if (typeof pattern === 'string') return start + pattern;
  return `${start}${pattern.texts.join(':')}${pattern.star ? `*${pattern.star.tail}` : ''}`;
}
