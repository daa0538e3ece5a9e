import { isOffLimits } from '../pages.ts';
import { warnOfCycles } from './cycles.ts';
import { type Destination, literalStart } from './destination.ts';
import { type Placed, quote, type Warn } from './fault.ts';
import { MAX_RESPONSE_HEADER_BYTES, sizeOf } from './header-rules.ts';
import { readHeadersFile } from './headers-file.ts';
import { type Pattern, subjectOf } from './pattern.ts';
import { readRedirectsFile } from './redirects-file.ts';
import type { HeaderRule, PathRule, RuleData } from './rules.ts';
import { warnOfHiddenRules, warnOfRepeatedPaths } from './shadows.ts';
import { readShipJson, type ShipJson } from './ship-json.ts';

/** The rule files that a deployment has. */
export interface RuleFiles {
  'ship.json'?: ShipJson;
  _redirects?: Uint8Array;
  _headers?: Uint8Array;
}

const NO_LINES = new Uint8Array();

/**
 * Compiles the rule files of a deployment into the rules that are stored with the deployment. Omits rules that can never act:
 * rewrite and 404 rules whose destination is missing, and repetitions of a rule.
 *
 * @param paths The canonical paths of the files of the deployment.
 * @param warn Receives each skipped rule, and rules that may not work as intended, such as cycles and hidden pages.
 * @returns `null` if the files have no effect on serving. Source: serving S20, S22 to S35, S65.
 */
export function compileRules(files: RuleFiles, paths: readonly string[], warn: Warn): RuleData | null {
  if (Object.keys(files).length === 0) return null;
  const ship = readShipJson(files['ship.json'] ?? {}, warn);
  const lines = readRedirectsFile(files._redirects ?? NO_LINES, warn);
  const blocks = readHeadersFile(files._headers ?? NO_LINES, warn);

  const publishedPaths = new Set(paths);
  const forcedRules = withDestination([...ship.redirects, ...lines.forced], publishedPaths, warn);
  const whenMissing = withDestination([...ship.rewrites, ...lines.whenMissing], publishedPaths, warn);
  const headers = [...blocks, ...ship.headers];
  warnOfRepeatedPaths([...forcedRules, ...whenMissing], warn);
  const unforcedRules = whenMissing.filter(({ position }) => position.file === '_redirects');
  warnOfHiddenRules(unforcedRules, paths, (path) => formOf(path, publishedPaths), warn);
  const redirecting = [...forcedRules, ...whenMissing.filter(({ rule }) => !isPublished(rule.from, publishedPaths))];
  warnOfCycles(
    redirecting.filter(({ rule }) => rule.host === undefined),
    warn,
  );
  warnOfSize(headers, warn);
  if (ship.trailingSlash !== null) warnOfHiddenPages(paths, publishedPaths, ship.trailingSlash, warn);

  const { cleanUrls, trailingSlash } = ship;
  const isEmpty =
    !cleanUrls && trailingSlash === null && forcedRules.length + whenMissing.length + headers.length === 0;
  return isEmpty
    ? null
    : {
        cleanUrls,
        trailingSlash,
        forced: rulesOf(forcedRules),
        whenMissing: rulesOf(whenMissing),
        headers: rulesOf(headers),
      };
}

function rulesOf<Rule>(placed: readonly Placed<Rule>[]): Rule[] {
  return placed.map(({ rule }) => rule);
}

/** Returns the rules that can act on some request. Source: serving S26, S29. */
function withDestination(
  placed: readonly Placed<PathRule>[],
  published: ReadonlySet<string>,
  warn: Warn,
): Placed<PathRule>[] {
  const knownPaths = new Set<string>();
  return placed.filter(({ rule, position }) => {
    const key = JSON.stringify(rule);
    if (knownPaths.has(key)) return false;
    knownPaths.add(key);
    const reason = isNeverServed(rule.from)
      ? `no request reaches ${quote(`/${literalStart(rule.from)}`)}, because such paths are never served`
      : destinationFault(rule, published);
    if (reason === null) return true;
    warn(position, `Skipped: ${reason}.`);
    return false;
  });
}

/** Returns why a rewrite or 404 rule has no file to show; `null` if it may have one. */
function destinationFault({ status, to }: PathRule, published: ReadonlySet<string>): string | null {
  if (status !== 200 && status !== 404) return null;
  if (typeof to.path === 'string')
    return isPublished(to.path, published)
      ? null
      : `the destination ${quote(`/${to.path}`)} is not a file or page of this deploy`;
  return isNeverServed(to.path)
    ? `the destination starts with ${quote(`/${literalStart(to.path)}`)}, and such paths are never served`
    : null;
}

/** Whether every path of a pattern or a destination is withheld. */
function isNeverServed(path: Pattern | Destination['path']): boolean {
  if (typeof path === 'string') return isOffLimits(path);
  const start = literalStart(path);
  return isOffLimits(`${start.slice(0, start.lastIndexOf('/') + 1)}x`);
}

/** Whether a literal path leads to a file or a page under any settings. Source: serving S14 to S21. */
function isPublished(path: Pattern, published: ReadonlySet<string>): boolean {
  return typeof path === 'string' && formOf(path, published) !== undefined;
}

/** Returns the first file that a literal path may lead to. */
function formOf(path: string, published: ReadonlySet<string>): string | undefined {
  if (isOffLimits(path)) return undefined;
  const { bare, folder } = subjectOf(path);
  const forms = [path, `${bare}.html`, bare === '' ? 'index.html' : `${folder}index.html`];
  return forms.find((form) => published.has(form) && !isOffLimits(form));
}

function warnOfSize(headers: readonly Placed<HeaderRule>[], warn: Warn): void {
  for (const { rule, position } of headers)
    if (sizeOf(rule) > MAX_RESPONSE_HEADER_BYTES)
      warn(
        position,
        `A response can have at most ${MAX_RESPONSE_HEADER_BYTES} bytes of headers from rules. The last headers of this rule are omitted.`,
      );
}

/** Warns about each page that has only its full path as an address, because another page has the short one. Source: serving S20. */
function warnOfHiddenPages(paths: readonly string[], published: ReadonlySet<string>, slash: boolean, warn: Warn): void {
  for (const page of paths) {
    const name = page.slice(0, -'.html'.length);
    const indexPath = `${name}/index.html`;
    if (!page.endsWith('.html') || !published.has(indexPath) || isOffLimits(page) || isOffLimits(indexPath)) continue;
    const [hidden, shown] = slash ? [page, indexPath] : [indexPath, page];
    const address = quote(`/${name}${slash ? '/' : ''}`);
    warn(
      { file: hidden },
      `With "trailingSlash": ${slash}, ${address} shows ${quote(shown)}. This page can only be reached by its full path.`,
    );
  }
}
