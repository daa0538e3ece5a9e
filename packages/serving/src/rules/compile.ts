import { isOffLimits } from '../pages.ts';
import { warnOfCycles } from './cycles.ts';
import { type Placed, quote, type Warn } from './fault.ts';
import { MAX_RESPONSE_HEADER_BYTES, sizeOf } from './header-rules.ts';
import { readHeadersFile } from './headers-file.ts';
import type { ShipJson } from './parse-ship-json.ts';
import { type Pattern, subjectOf } from './pattern.ts';
import { readRedirectsFile } from './redirects-file.ts';
import type { HeaderRule, PathRule, RuleData } from './rules.ts';
import { readShipJson } from './ship-json.ts';

/** The rule files that a deployment has. */
export interface RuleFiles {
  'ship.json'?: ShipJson;
  _redirects?: Uint8Array;
  _headers?: Uint8Array;
}

const NO_LINES = new Uint8Array();

/**
 * Compiles the rule files of a deployment into the rules that are stored with it.
 *
 * Omits rules that can never act: rewrite and 404 rules whose destination is missing, and repetitions of a rule.
 *
 * @param paths The files of the deployment, by canonical path.
 * @param warn Called for each skipped rule, and for rules that may not work as intended: missing destinations, cycles, and
 *   pages that are hidden by another page.
 * @returns `null` if the files have no effect on serving.
 * Source: serving S20, S22 to S35, S65.
 */
export function compileRules(files: RuleFiles, paths: readonly string[], warn: Warn): RuleData | null {
  if (Object.keys(files).length === 0) return null;
  const ship = readShipJson(files['ship.json'] ?? {}, warn);
  const lines = readRedirectsFile(files._redirects ?? NO_LINES, warn);
  const blocks = readHeadersFile(files._headers ?? NO_LINES, warn);

  const published = new Set(paths);
  const forced = withDestination([...ship.redirects, ...lines.forced], published, warn);
  const whenMissing = withDestination([...ship.rewrites, ...lines.whenMissing], published, warn);
  const headers = [...blocks, ...ship.headers];
  warnOfCycles([...forced, ...whenMissing.filter(({ rule }) => !isPublished(rule.from, published))], warn);
  warnOfSize(headers, warn);
  if (ship.trailingSlash !== null) warnOfHiddenPages(paths, published, ship.trailingSlash, warn);

  const { cleanUrls, trailingSlash } = ship;
  const isEmpty = !cleanUrls && trailingSlash === null && forced.length + whenMissing.length + headers.length === 0;
  return isEmpty
    ? null
    : {
        cleanUrls,
        trailingSlash,
        forced: rulesOf(forced),
        whenMissing: rulesOf(whenMissing),
        headers: rulesOf(headers),
      };
}

function rulesOf<Rule>(placed: readonly Placed<Rule>[]): Rule[] {
  return placed.map(({ rule }) => rule);
}

/** The rules that can act on some request. Source: serving S26, S29. */
function withDestination(
  placed: readonly Placed<PathRule>[],
  published: ReadonlySet<string>,
  warn: Warn,
): Placed<PathRule>[] {
  const seen = new Set<string>();
  return placed.filter(({ rule, position }) => {
    const key = JSON.stringify(rule);
    if (seen.has(key)) return false;
    seen.add(key);
    if (lacksDestination(rule, published)) {
      warn(
        position,
        `Skipped: its destination ${quote(`/${String(rule.to.path)}`)} is not a file or page of this deploy.`,
      );
      return false;
    }
    return true;
  });
}

function lacksDestination({ status, to }: PathRule, published: ReadonlySet<string>): boolean {
  return (status === 200 || status === 404) && typeof to.path === 'string' && !isPublished(to.path, published);
}

/** Whether a literal path is that of a file or a page form, under any settings. Source: serving S14 to S21. */
function isPublished(path: Pattern, published: ReadonlySet<string>): boolean {
  if (typeof path !== 'string' || isOffLimits(path)) return false;
  const { bare, folder } = subjectOf(path);
  const forms = [path, `${bare}.html`, bare === '' ? 'index.html' : `${folder}index.html`];
  return forms.some((form) => published.has(form) && !isOffLimits(form));
}

function warnOfSize(headers: readonly Placed<HeaderRule>[], warn: Warn): void {
  for (const { rule, position } of headers)
    if (sizeOf(rule) > MAX_RESPONSE_HEADER_BYTES)
      warn(
        position,
        `A response can have at most ${MAX_RESPONSE_HEADER_BYTES} bytes of headers from rules. The last headers of this rule are omitted.`,
      );
}

/** Warns about each page that only its full path can reach, because another page has the short address. Source: serving S20. */
function warnOfHiddenPages(paths: readonly string[], published: ReadonlySet<string>, slash: boolean, warn: Warn): void {
  for (const page of paths) {
    const name = page.slice(0, -'.html'.length);
    const index = `${name}/index.html`;
    if (!page.endsWith('.html') || !published.has(index) || isOffLimits(page) || isOffLimits(index)) continue;
    const [hidden, shown] = slash ? [page, index] : [index, page];
    const address = quote(`/${name}${slash ? '/' : ''}`);
    warn(
      { file: hidden },
      `With "trailingSlash": ${slash}, ${address} shows ${quote(shown)}. This page can only be reached by its full path.`,
    );
  }
}
