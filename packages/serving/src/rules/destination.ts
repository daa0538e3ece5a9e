import { isEmptyOrDots } from '../request-path.ts';
import { Fault, quote } from './fault.ts';
import { type Dialect, MAX_CHARACTERS, readLiteral } from './pattern.ts';

/** A text, or its pieces. A number is the index of the capture to insert. */
type Template = string | (string | number)[];

/** The destination of a rule, as stored with a deployment. */
export interface Destination {
  /** `https://host:port` for another origin, `null` for a path of this site. */
  origin: string | null;
  /** Decoded, in NFC, without the leading slash. */
  path: Template;
  /** The query including `?`, encoded. */
  query: Template;
  /** The fragment including `#`, encoded. */
  fragment: Template;
}

const URL_PARTS = /^(?<authority>https?:\/\/[^/?#]*)?(?<path>[^?#]*)(?<query>\?[^#]*)?(?<fragment>#.*)?$/is;
const LINE_BREAK = /[\n\r\u2028\u2029]/;
const CAPTURE: Record<Dialect, RegExp> = {
  json: /:(?<name>[a-z_]\w*)(?<star>[*+]?)|\$(?<number>\d+)/gi,
  lines: /:(?<name>[a-z_]\w*)/gi,
};

/**
 * Parses a destination.
 *
 * @param captures The captures of the pattern. Each has a list of names that the destination may use for it.
 * @returns A fault for a destination that leaves the site without naming a host, and for a capture that the pattern does not have. Source: serving S24, S30.
 */
export function readDestination(text: string, captures: readonly string[][], dialect: Dialect): Destination | Fault {
  if (text.length > MAX_CHARACTERS) return new Fault(`a destination must have at most ${MAX_CHARACTERS} characters`);
  // oxlint-disable-next-line no-control-regex -- naming control characters is this pattern's purpose
  if (/[\u0000-\u001f\u007f]/.test(text)) return new Fault('a destination must not contain control characters');
  const { authority, path, query, fragment } = URL_PARTS.exec(text)?.groups ?? {};
  if (path === undefined || LINE_BREAK.test(fragment ?? '')) return new Fault('a destination must be one line of text');
  if (/^[/\\]{2}/.test(path) && authority === undefined)
    return new Fault('a destination on another host must start with https:// or http://');
  if (authority === undefined && !path.startsWith('/'))
    return new Fault('a destination must start with a slash, as in /new, or with https:// or http://');
  const origin = authority === undefined ? null : readOrigin(authority, dialect);
  if (origin instanceof Fault) return origin;

  const decoded = readTemplate(path.slice(1), captures, dialect, readLiteral);
  if (decoded instanceof Fault) return decoded;
  if (origin === null && leavesPath(decoded)) return new Fault('a path must not have empty, . or .. segments');
  const encodedQuery = readTemplate(query ?? '', captures, dialect, escapeRest);
  if (encodedQuery instanceof Fault) return encodedQuery;
  const encodedFragment = readTemplate(fragment ?? '', captures, dialect, escapeRest);
  if (encodedFragment instanceof Fault) return encodedFragment;
  return { origin, path: decoded, query: encodedQuery, fragment: encodedFragment };
}

/** A destination with the captures filled in. Source: serving S24, S27. */
export interface Target {
  origin: string | null;
  path: string;
  query: string;
  fragment: string;
}

const MAX_FILLED_CHARACTERS = 8192;
// Only characters from U+0300 on can combine with the one before them.
const MAY_COMPOSE = /[\u0300-\uffff]/;
const MAY_BE_UNCLEAN = /^[/.]|\/[/.]/;

/**
 * Fills captures into a destination: unencoded into the path, encoded into query and fragment. On the site itself, empty,
 * `.` and `..` segments are removed from the path, so no capture can make it leave the host.
 *
 * @returns `null` if the address would be longer than clients accept.
 */
export function fill({ origin, path, query, fragment }: Destination, captures: readonly string[]): Target | null {
  if (lengthOf(path, captures) + lengthOf(query, captures) + lengthOf(fragment, captures) > MAX_FILLED_CHARACTERS)
    return null;
  const filledPath = write(path, captures, (capture) => capture);
  return {
    origin,
    path: origin === null && typeof path !== 'string' ? cleanPath(filledPath) : filledPath,
    query: write(query, captures, encodeSegments),
    fragment: write(fragment, captures, encodeSegments),
  };
}

/** Whether a destination has no captures. */
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

function cleanPath(path: string): string {
  const composed = MAY_COMPOSE.test(path) ? path.normalize('NFC') : path;
  if (!MAY_BE_UNCLEAN.test(composed)) return composed;
  const segments = composed.split('/');
  const nonEmpty = segments.filter((segment) => !isEmptyOrDots(segment));
  const isFolder = nonEmpty.length > 0 && isEmptyOrDots(segments.at(-1)!);
  return `${nonEmpty.join('/')}${isFolder ? '/' : ''}`;
}

/** Whether a path of the site has an empty, `.` or `..` segment, apart from a trailing slash. */
function leavesPath(path: Template): boolean {
  const text =
    typeof path === 'string' ? path : path.map((piece) => (typeof piece === 'string' ? piece : 'x')).join('');
  return text
    .replace(/\/$/, '')
    .split('/')
    .some((segment) => text !== '' && isEmptyOrDots(segment));
}

const encodeSegments = (text: string) => text.split('/').map(encodeURIComponent).join('/');

function readOrigin(authority: string, dialect: Dialect): string | Fault {
  const host = authority.replace(/^https?:\/\//i, '');
  if (host.includes('@')) return new Fault('a destination must not contain a user name or password');
  if (host.search(CAPTURE[dialect]) >= 0)
    return new Fault('the host of a destination must be written out, without captures');
  if (host === '' || !URL.canParse(authority))
    return new Fault(`${quote(authority)} is not a valid address, such as https://other.example`);
  return new URL(authority).origin;
}

/** Parses text with captures in it. `read` parses the literal pieces. */
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
        `its pattern has no capture ${use[0]}${name === undefined ? '' : '; write a plain colon as %3A'}`,
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
  if (!text.isWellFormed() || text.includes('\ufffd')) return new Fault('the file must be UTF-8');
  return text.replace(/[^\x21-\x7e]|["<>\\^`{|}]/gu, encodeURIComponent);
}
