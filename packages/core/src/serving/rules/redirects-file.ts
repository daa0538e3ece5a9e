import { readDestination } from './destination.ts';
import { Fault, type Placed, type Warn } from './fault.ts';
import { readLines } from './lines.ts';
import { readPattern } from './pattern.ts';
import type { PathRule, RuleStatus } from './rules.ts';

/** Only this many bytes of `_redirects` are read. Source: serving S65. */
export const MAX_REDIRECTS_BYTES = 1024 * 1024;

const FILE = '_redirects';
const MAX_LITERAL = 10_000;
const MAX_OPEN = 500;
const DEFAULT_STATUS = 301;
const STATUSES: ReadonlySet<number> = new Set<RuleStatus>([200, 301, 302, 303, 307, 308, 404]);
const STATUS = /^(?<code>\d{3})(?<forced>!?)$/;
const GRAMMAR = 'write a line as: from to [code]';

/** The rules of `_redirects`. */
export interface Redirects {
  /** The lines marked `!`. */
  forced: Placed<PathRule>[];
  whenMissing: Placed<PathRule>[];
}

/** Parses `_redirects`. Source: serving S23 to S30, S65. */
export function readRedirectsFile(bytes: Uint8Array, warn: Warn): Redirects {
  const redirects: Redirects = { forced: [], whenMissing: [] };
  const kinds = {
    literal: { count: 0, max: MAX_LITERAL, name: 'lines without a placeholder or star' },
    open: { count: 0, max: MAX_OPEN, name: 'lines with a placeholder or star' },
  };
  for (const { number, text } of readLines(bytes, FILE, MAX_REDIRECTS_BYTES, warn)) {
    const position = { file: FILE, line: number };
    const read = readLine(text);
    if (read instanceof Fault) {
      warn(position, `Skipped: ${read.message}.`);
      continue;
    }
    const kind = kinds[typeof read.rule.from === 'string' ? 'literal' : 'open'];
    kind.count += 1;
    if (kind.count === kind.max + 1)
      warn(position, `Skipped this line and all further ones like it: there can be at most ${kind.max} ${kind.name}.`);
    if (kind.count <= kind.max) redirects[read.forced ? 'forced' : 'whenMissing'].push({ rule: read.rule, position });
  }
  return redirects;
}

function readLine(text: string): { rule: PathRule; forced: boolean } | Fault {
  const words = text.split(/\s+/);
  const comment = words.findIndex((word) => word.startsWith('#'));
  const [from, to, code, ...rest] = comment < 0 ? words : words.slice(0, comment);
  if (from === undefined || to === undefined || STATUS.test(to))
    return new Fault(`the destination is missing; ${GRAMMAR}`);
  if (/^[^/]*=/.test(to) || [code, ...rest].some((word) => word?.includes('=')))
    return new Fault(`conditions and query parameters are not supported; ${GRAMMAR}`);
  if (rest.length > 0)
    return new Fault(`the line has ${rest.length + 3} words; ${GRAMMAR}, with %20 for a space in a path`);

  const { code: digits, forced } = STATUS.exec(code ?? String(DEFAULT_STATUS))?.groups ?? {};
  const status = Number(digits);
  if (!isStatus(status)) return new Fault(`the code must be one of ${[...STATUSES].join(', ')}, with a ! to force it`);
  const pattern = readPattern(from, 'lines');
  if (pattern instanceof Fault) return pattern;
  const destination = readDestination(to, pattern.captures, 'lines');
  if (destination instanceof Fault) return destination;
  if ((status === 200 || status === 404) && destination.origin !== null)
    return new Fault(
      `a line with ${status} must point to a file of the site; only a redirect can point to another host`,
    );
  return { rule: { from: pattern.pattern, status, to: destination }, forced: forced === '!' };
}

function isStatus(status: number): status is RuleStatus {
  return STATUSES.has(status);
}
