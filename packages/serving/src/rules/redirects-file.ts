import { type Destination, readDestination } from './destination.ts';
import { Fault, type Placed, quote, type Warn } from './fault.ts';
import { readLines } from './lines.ts';
import { readSource } from './pattern.ts';
import type { PathRule, RuleStatus } from './rules.ts';

/** The maximum number of bytes of `_redirects` that are read. Source: serving S65. */
export const MAX_REDIRECTS_BYTES = 1024 * 1024;

const FILE = '_redirects';
const MAX_LITERAL_LINES = 10_000;
const MAX_OPEN_LINES = 500;
const DEFAULT_STATUS = 301;
const STATUSES: ReadonlySet<RuleStatus> = new Set<RuleStatus>([200, 301, 302, 303, 307, 308, 404]);
const STATUS = /^(?<code>\d{3})(?<forced>!?)$/;
const QUERY_PARAMETER = /^[^/]*=/;
const ROLE_CONDITION = /^role=/i;
/** Few files match. A test of the whole text takes a tenth of the time that reading its lines takes. */
const MAY_HAVE_ROLE_CONDITION = /role=/i;
const BARE_PATH = /^[\w%-]+(?:\/|$)/;
const BARE_PATH_WITH_DOTS = /^[\w%-][\w.%-]*(?:\/|$)/;
const GRAMMAR = 'write a line as: from to [code]';

/** The rules of `_redirects`. */
interface Redirects {
  /** The rules of the lines that are marked with `!`. */
  forced: Placed<PathRule>[];
  whenMissing: Placed<PathRule>[];
}

/** Parses `_redirects`. Source: serving S23 to S30, S65. */
export function readRedirectsFile(bytes: Uint8Array, warn: Warn): Redirects {
  const redirects: Redirects = { forced: [], whenMissing: [] };
  const kinds = {
    literal: { count: 0, max: MAX_LITERAL_LINES, have: 'without' },
    open: { count: 0, max: MAX_OPEN_LINES, have: 'with' },
  };
  for (const { number, text } of readLines(bytes, FILE, MAX_REDIRECTS_BYTES, warn)) {
    const position = { file: FILE, line: number };
    const parsed = readLine(text);
    if (parsed instanceof Fault) {
      warn(position, `Skipped: ${parsed.message}.`);
      continue;
    }
    const { rule, forced, corrected } = parsed;
    for (const path of corrected) warn(position, `Read as ${quote(path)}: a path must start with a slash.`);
    const kind = kinds[typeof rule.from === 'string' ? 'literal' : 'open'];
    kind.count += 1;
    if (kind.count === kind.max + 1)
      warn(
        position,
        `Skipped this line and all further ones like it: there can be at most ${kind.max} lines ${kind.have} a placeholder or star.`,
      );
    if (kind.count <= kind.max) redirects[forced ? 'forced' : 'whenMissing'].push({ rule, position });
  }
  return redirects;
}

/**
 * Finds a line with a `Role=` condition. On Netlify only visitors with the role see what the line leads to, so the owner of the
 * site believes that those pages are protected.
 *
 * @returns The number of the line, from 1, or `null`. Source: api §3; serving S23.
 */
export function findRoleCondition(bytes: Uint8Array): number | null {
  if (!MAY_HAVE_ROLE_CONDITION.test(new TextDecoder().decode(bytes))) return null;
  for (const { number, text } of readLines(bytes, FILE, MAX_REDIRECTS_BYTES, () => {})) {
    const [, ...words] = wordsOf(text);
    const destination = words.findIndex((word) => !QUERY_PARAMETER.test(word));
    if (words.slice(destination + 1).some((word) => ROLE_CONDITION.test(word))) return number;
  }
  return null;
}

/** Splits a line into its words, without a comment at its end. */
function wordsOf(line: string): string[] {
  const lineWords = line.split(/\s+/);
  const comment = lineWords.findIndex((word) => word.startsWith('#'));
  return comment < 0 ? lineWords : lineWords.slice(0, comment);
}

interface Line {
  rule: PathRule;
  forced: boolean;
  /** The paths of the line to which a slash was added. */
  corrected: string[];
}

function readLine(text: string): Line | Fault {
  const [from, to, code, ...rest] = wordsOf(text);
  if (from === undefined || to === undefined || STATUS.test(to))
    return new Fault(`the destination is missing; ${GRAMMAR}`);
  if (QUERY_PARAMETER.test(to) || [code, ...rest].some((word) => word?.includes('=')))
    return new Fault(`conditions and query parameters are not supported; ${GRAMMAR}`);
  if (rest.length > 0)
    return new Fault(`the line has ${rest.length + 3} words; ${GRAMMAR}, with %20 for a space in a path`);

  const { code: digits, forced } = STATUS.exec(code ?? String(DEFAULT_STATUS))?.groups ?? {};
  const status = Number(digits) as RuleStatus;
  if (!STATUSES.has(status))
    return new Fault(`the code must be one of ${[...STATUSES].join(', ')}, with a ! to force it`);
  const isRedirect = status !== 200 && status !== 404;
  const source = withSlash(from, true);
  const target = withSlash(to, isRedirect);
  const pattern = readSource(source);
  if (pattern instanceof Fault) return pattern;
  const destination = readDestination(target, pattern.captures, 'lines');
  if (destination instanceof Fault) return destination;
  if (!isRedirect && destination.origin !== null)
    return new Fault(
      `a line with ${status} must point to a file of the site; only a redirect can point to another host`,
    );
  const { host } = pattern;
  const onHost = host === undefined ? {} : { host };
  // A redirect to the host of its own rule stays on the host, so that it is never a redirect to the same address.
  const ownTarget = host !== undefined && hostOf(destination) === host ? { ...destination, origin: null } : destination;
  return {
    rule: { from: pattern.pattern, status, to: ownTarget, ...onHost },
    forced: forced === '!',
    corrected: [source, target].filter((path) => path !== from && path !== to),
  };
}

function hostOf({ origin }: Destination): string | null {
  return origin === null ? null : new URL(origin).host;
}

/** Adds the slash that a path must start with, unless the text may be a host, such as `example.com/a`. */
function withSlash(text: string, mayBeHost: boolean): string {
  const isPath = text.startsWith('*') || (mayBeHost ? BARE_PATH : BARE_PATH_WITH_DOTS).test(text);
  return isPath ? `/${text}` : text;
}
