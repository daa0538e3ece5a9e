import { Fault, quote } from './fault.ts';
import { readLiteral } from './literal.ts';
import { type Dialect, MAX_CHARACTERS } from './pattern.ts';

/** A text, or its pieces: the number of a capture stands for what was captured. */
export type Template = string | (string | number)[];

/** Where a rule leads, as a deployment keeps it. */
export interface Destination {
  /** `https://host:port` for another origin, `null` for a path of the site. */
  origin: string | null;
  /** Decoded, in NFC, without the leading slash. */
  path: Template;
  /** From `?` on, encoded. */
  query: Template;
  /** From `#` on, encoded. */
  fragment: Template;
}

const URL_PARTS = /^(?<authority>https?:\/\/[^/?#]*)?(?<path>[^?#]*)(?<query>\?[^#]*)?(?<fragment>#.*)?$/is;
const LINE_BREAK = /[\n\r\u2028\u2029]/;
const CAPTURE: Record<Dialect, RegExp> = {
  json: /:(?<name>[a-z_]\w*)(?<star>[*+]?)|\$(?<number>\d+)/gi,
  lines: /:(?<name>[a-z_]\w*)/gi,
};

/**
 * Reads a destination.
 *
 * @param captures The names by which it may use what its pattern captures: one list a capture.
 * @returns A fault for one that leaves the site without saying so, and for a capture the pattern lacks. Source: serving S24, S30.
 */
export function readDestination(text: string, captures: readonly string[][], dialect: Dialect): Destination | Fault {
  if (text.length > MAX_CHARACTERS) return new Fault(`a destination has at most ${MAX_CHARACTERS} characters`);
  // oxlint-disable-next-line no-control-regex -- naming control characters is this pattern's purpose
  if (/[\u0000-\u001f\u007f]/.test(text)) return new Fault('a destination holds no control characters');
  const { authority, path, query, fragment } = URL_PARTS.exec(text)?.groups ?? {};
  if (path === undefined || LINE_BREAK.test(fragment ?? '')) return new Fault('a destination must be one line of text');
  if (/^[/\\]{2}/.test(path) && authority === undefined)
    return new Fault('a destination on another host starts with https:// or http://');
  if (authority === undefined && !path.startsWith('/'))
    return new Fault('a destination starts with a slash, such as /new, or with https:// or http://');
  const origin = authority === undefined ? null : readOrigin(authority, dialect);
  if (origin instanceof Fault) return origin;

  const decoded = readTemplate(path.slice(1), captures, dialect, readLiteral);
  if (decoded instanceof Fault) return decoded;
  if (origin === null && leavesPath(decoded)) return new Fault('a path has no empty, . or .. segment');
  const encodedQuery = readTemplate(query ?? '', captures, dialect, escapeRest);
  if (encodedQuery instanceof Fault) return encodedQuery;
  const encodedFragment = readTemplate(fragment ?? '', captures, dialect, escapeRest);
  if (encodedFragment instanceof Fault) return encodedFragment;
  return { origin, path: decoded, query: encodedQuery, fragment: encodedFragment };
}

/** What a destination says once captures stand in their places. Source: serving S24, S27. */
export interface Target {
  origin: string | null;
  path: string;
  query: string;
  fragment: string;
}

const MOST_CHARACTERS = 8192;
// The first character that joins with one before it is U+0300.
const MAY_COMPOSE = /[\u0300-\uffff]/;
const MAY_BE_UNCLEAN = /^[/.]|\/[/.]/;

/**
 * Puts captures into a destination: as they are into the path, encoded into query and fragment. On the site itself the path
 * keeps no empty, `.` or `..` segment, whatever was captured, so that it never leaves the host.
 *
 * @returns `null` when the address would be longer than any reader takes.
 */
export function fill({ origin, path, query, fragment }: Destination, captures: readonly string[]): Target | null {
  if (lengthOf(path, captures) + lengthOf(query, captures) + lengthOf(fragment, captures) > MOST_CHARACTERS)
    return null;
  const filled = write(path, captures, (capture) => capture);
  return {
    origin,
    path: origin === null && typeof path !== 'string' ? tidy(filled) : filled,
    query: write(query, captures, encodeSegments),
    fragment: write(fragment, captures, encodeSegments),
  };
}

/** Whether a destination is the same whatever the path holds. */
export function isLiteral({ path, query, fragment }: Destination): boolean {
  return typeof path === 'string' && typeof query === 'string' && typeof fragment === 'string';
}

function write(template: Template, captures: readonly string[], encode: (capture: string) => string): string {
  if (typeof template === 'string') return template;
  let text = '';
  for (const piece of template) text += typeof piece === 'string' ? piece : encode(captures[piece] ?? '');
  return text;
}

function lengthOf(template: Template, captures: readonly string[]): number {
  if (typeof template === 'string') return template.length;
  let length = 0;
  for (const piece of template) length += (typeof piece === 'string' ? piece : (captures[piece] ?? '')).length;
  return length;
}

function tidy(path: string): string {
  const composed = MAY_COMPOSE.test(path) ? path.normalize('NFC') : path;
  if (!MAY_BE_UNCLEAN.test(composed)) return composed;
  const segments = composed.split('/');
  const kept = segments.filter((segment) => !isEmptyOrDots(segment));
  const isFolder = kept.length > 0 && isEmptyOrDots(segments.at(-1)!);
  return `${kept.join('/')}${isFolder ? '/' : ''}`;
}

/** Whether a path of the site has a segment that means another one, but for a final slash. */
function leavesPath(path: Template): boolean {
  const text =
    typeof path === 'string' ? path : path.map((piece) => (typeof piece === 'string' ? piece : 'x')).join('');
  return text
    .replace(/\/$/, '')
    .split('/')
    .some((segment) => text !== '' && isEmptyOrDots(segment));
}

function isEmptyOrDots(segment: string): boolean {
  return segment === '' || segment === '.' || segment === '..';
}

const encodeSegments = (text: string) => text.split('/').map(encodeURIComponent).join('/');

function readOrigin(authority: string, dialect: Dialect): string | Fault {
  const host = authority.replace(/^https?:\/\//i, '');
  if (host.includes('@')) return new Fault('a destination holds no user name or password');
  if (host.search(CAPTURE[dialect]) >= 0)
    return new Fault('the host of a destination is written out: it takes no capture');
  if (host === '' || !URL.canParse(authority))
    return new Fault(`${quote(authority)} is no address, such as https://other.example`);
  return new URL(authority).origin;
}

/** Reads text with captures in it; the literal pieces go through `read`. */
function readTemplate(
  text: string,
  captures: readonly string[][],
  dialect: Dialect,
  read: (literal: string) => string | Fault,
): Template | Fault {
  const pieces: (string | number)[] = [];
  let at = 0;
  for (const use of text.matchAll(CAPTURE[dialect])) {
    const { name, number, star } = use.groups!;
    const index = captures.findIndex((names) => names.includes((name ?? number)!));
    if (index < 0 || (star && captures[index]!.length === 1))
      return new Fault(
        `its pattern captures no ${use[0]}${name === undefined ? '' : '; a plain colon is written %3A'}`,
      );
    const literal = read(text.slice(at, use.index));
    if (literal instanceof Fault) return literal;
    pieces.push(literal, index);
    at = use.index + use[0].length;
  }
  const rest = read(text.slice(at));
  if (rest instanceof Fault) return rest;
  return pieces.length === 0 ? rest : [...pieces, rest].filter((piece) => piece !== '');
}

function escapeRest(text: string): string | Fault {
  if (!text.isWellFormed() || text.includes('\ufffd')) return new Fault('the file is UTF-8; this is not');
  return text.replace(/[^\x21-\x7e]|["<>\\^`{|}]/gu, encodeURIComponent);
}
