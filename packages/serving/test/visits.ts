import { describe, expect, it } from 'vitest';
import type { Intent, RequestContext } from '../src/intent.ts';
import { parseRequestPath } from '../src/request-path.ts';
import { resolve } from '../src/resolve.ts';
import type { PathRules, RuleMatch, RuleStatus } from '../src/rules/rules.ts';

/** A short description of a site. */
export interface Sketch {
  files: string[];
  cleanUrls?: boolean;
  trailingSlash?: boolean | null;
  /** Rules such as `/old 301 /new` and `/docs/* 200 /docs.html`. Only the last character can be a star; `:splat` inserts its text. */
  forced?: string[];
  whenMissing?: string[];
}

const HOST = 'site.example';

/** The parts of a site that decide the response. */
export type DecidedSite = RequestContext['site'];

/** Builds the site of a sketch. */
export function siteOf({ files, cleanUrls = false, trailingSlash = null, ...rules }: Sketch): DecidedSite {
  return {
    manifest: new Set(files),
    rules: {
      cleanUrls,
      trailingSlash,
      forced: rulesOf(rules.forced ?? []),
      whenMissing: rulesOf(rules.whenMissing ?? []),
      headers: { isEmpty: true, apply: (_path, fields) => fields },
      dependOnHost: false,
    },
  };
}

/** Resolves a request target as a browser sends it; `null` if its path is malformed. */
export function resolveTarget(
  target: string,
  site: DecidedSite,
  { method = 'GET', accept }: { method?: string; accept?: string | undefined } = {},
): Intent | null {
  const queryStart = target.includes('?') ? target.indexOf('?') : target.length;
  const path = parseRequestPath(target.slice(0, queryStart));
  return path && resolve({ method, host: HOST, path, query: target.slice(queryStart), accept }, site);
}

/** Formats a response as one line: `200 index.html`, `-> /docs/` (canonical), `301 /new`, `404 404.html`, `404`, `400`. */
export function formatIntent(intent: Intent | null): string {
  switch (intent?.kind) {
    case 'file':
      return `${intent.status} ${intent.path}`;
    case 'canonical':
      return `-> ${intent.location}`;
    case 'redirect':
      return `${intent.status} ${intent.location}`;
    case 'not-found':
      return '404';
    case undefined:
      return '400';
    default:
      return intent!.kind;
  }
}

const LINE_PATTERN =
  /^\/(?<from>\S*) (?<status>\d+) (?<origin>https?:\/\/[^/]+)?\/(?<to>[^?#]*)(?<query>\?[^#]*)?(?<fragment>#.*)?$/;

function rulesOf(lines: string[]): PathRules {
  const rules = lines.map((line) => LINE_PATTERN.exec(line)!.groups! as Record<string, string | undefined>);
  return { matches: (path) => rules.flatMap((rule) => matchRule(rule, path) ?? []) };
}

function matchRule(rule: Record<string, string | undefined>, path: string): RuleMatch | null {
  const hasStar = rule['from']!.endsWith('*');
  const from = rule['from']!.replace(/\/?\*?$/, '');
  const splat = from === '' ? path : path.slice(from.length + 1);
  const matches = path.replace(/\/$/, '') === from || (hasStar && (from === '' || path.startsWith(`${from}/`)));
  if (!matches) return null;
  return {
    status: Number(rule['status']) as RuleStatus,
    origin: rule['origin'] ?? null,
    path: rule['to']!.replace(':splat', splat),
    query: rule['query'] ?? '',
    fragment: rule['fragment'] ?? '',
    isFallback: rule['status'] === '200' && hasStar,
  };
}

/** Declares tests of a site: for each response, the targets of the requests that get it, separated by spaces. */
export function testAnswers(title: string, { answers, ...sketch }: Sketch & { answers: Record<string, string> }): void {
  const site = siteOf(sketch);
  const rows = Object.entries(answers).flatMap(([answer, targets]) =>
    targets.split(' ').map((target) => [target, answer]),
  );
  describe(title, () => {
    it.each(rows)('a request for %s results in %s', (target, expected) => {
      expect(formatIntent(resolveTarget(target!, site))).toBe(expected);
    });
  });
}
