import { isEmptyOrDots } from '../request-path.ts';
import { Fault, quote } from './fault.ts';
import { type Dialect, MAX_CHARACTERS, type Pattern, readLiteral } from './pattern.ts';

/** A literal text, or the pieces of a text with captures. A number is the index of the capture to insert. */
export type Template = string | (string | number)[];

/** The destination of a rule, as the database stores it. */
export interface Destination {
  /** `https://host:port` for another origin; `null` for a path of the site itself. */
  origin: string | null;
  /** The path, decoded, in NFC and without the leading slash. */
  path: Template;
  /** The encoded query, including `?`. */
  query: Template;
  /** The encoded fragment, including `#`. */
  fragment: Template;
}

const URL_PARTS = /^(?<authority>https?:\/\/[^/?#]*)?(?<path>[^?#]*)(?<query>\?[^#]*)?(?<fragment>#.*)?$/is;
const LINE_BREAK = /[\n\r\u2028\u2029]/;
const BRACED_CAPTURE = /\{[:$]\w/;
const CAPTURE: Record<Dialect, RegExp> = {
  json: /:(?<name>[a-z_]\w*)(?<star>[*+]?)|\$(?<number>\d+)/gi,
  lines: /:(?<name>[a-z_]\w*)/gi,
};

/** Parses the destination of a rule. `captures` has the names of each capture of the pattern. Source: serving S24, S30. */
export function readDestination(text: string, captures: readonly string[][], dialect: Dialect): Destination | Fault {
  if (text.length > MAX_CHARACTERS) return new Fault(`a destination must have at most ${MAX_CHARACTERS} characters`);
  // oxlint-disable-next-line no-control-regex -- naming control characters is this pattern's purpose
  if (/[\u0000-\u001f\u007f]/.test(text)) return new Fault('a destination must not contain control characters');
  const { authority, path, query, fragment } = URL_PARTS.exec(text)?.groups ?? {};
  if (path === undefined || LINE_BREAK.test(fragment ?? '')) return new Fault('a destination must be one line of text');
  if (BRACED_CAPTURE.test(text)) return new Fault('a capture must be written without braces, as in /new/:name');
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
// Only characters from U+0300 on can combine with the character before.
const MAY_COMPOSE = /[\u0300-\uffff]/;
const MAY_BE_UNCLEAN = /^[/.]|\/[/.]/;

/**
 * Fills captures into a destination: unencoded into the path, encoded into query and fragment. Removes empty, `.` and `..`
 * segments from a path of the site itself, so that no capture can make the path leave the host.
 *
 * @returns `null` if the address would be longer than clients accept.
 */
export function fillDestination(
  { origin, path, query, fragment }: Destination,
  captures: readonly string[],
): Target | null {
  if (lengthOf(path, captures) + lengthOf(query, captures) + lengthOf(fragment, captures) > MAX_FILLED_CHARACTERS)
    return null;
  const filledPath = fillTemplate(path, captures, (capture) => capture);
  return {
    origin,
    path: origin === null && typeof path !== 'string' ? cleanPath(filledPath) : filledPath,
    query: fillTemplate(query, captures, encodeSegments),
    fragment: fillTemplate(fragment, captures, encodeSegments),
  };
}

/**
 * Parses the value of a header. Only a name that the pattern has is a capture, because values such as `img-src data:` may
 * contain any colon. Source: serving S24.
 */
export function readValue(text: string, captures: readonly string[][], dialect: Dialect): Template {
  const isCapture = ({ groups }: RegExpExecArray) => indexOfCapture(groups!, captures) >= 0;
  const uses = [...text.matchAll(CAPTURE[dialect])].filter(isCapture);
  if (uses.length === 0) return text;
  const templatePieces: (string | number)[] = [];
  let literalStart = 0;
  for (const use of uses) {
    templatePieces.push(text.slice(literalStart, use.index), indexOfCapture(use.groups!, captures));
    literalStart = use.index + use[0].length;
  }
  return [...templatePieces, text.slice(literalStart)].filter((piece) => piece !== '');
}

/** Fills captures into the value of a header, encoded. Returns `undefined` if the value would have more characters than `max`. */
export function fillValue(value: Template, captures: readonly string[], max: number): string | undefined {
  return lengthOf(value, captures) > max ? undefined : fillTemplate(value, captures, encodeSegments);
}

function indexOfCapture({ name, number }: Record<string, string | undefined>, captures: readonly string[][]): number {
  return captures.findIndex((names) => names.includes((name ?? number)!));
}

/** Whether a destination has no captures. */
export function isLiteral({ path, query, fragment }: Destination): boolean {
  return typeof path === 'string' && typeof query === 'string' && typeof fragment === 'string';
}

/** Returns the literal text that every path of a pattern or a destination starts with. */
export function literalStart(path: Pattern | Destination['path']): string {
  if (typeof path === 'string') return path;
  const [start] = Array.isArray(path) ? path : path.texts;
  return typeof start === 'string' ? start : '';
}

function fillTemplate(template: Template, captures: readonly string[], encode: (capture: string) => string): string {
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

/** @param read Parses the literal pieces between the captures. */
function readTemplate(
  text: string,
  captures: readonly string[][],
  dialect: Dialect,
  read: (literal: string) => string | Fault,
): Template | Fault {
  const templatePieces: (string | number)[] = [];
  let literalStart = 0;
  for (const captureUse of text.matchAll(CAPTURE[dialect])) {
    const { name, star } = captureUse.groups!;
    const captureIndex = indexOfCapture(captureUse.groups!, captures);
    // A colon inside a word is text, as in `Special:Random`, unless the pattern has the name.
    if (captureIndex < 0 && name !== undefined && /\w/.test(text[captureUse.index - 1] ?? '')) continue;
    if (captureIndex < 0 || (star && captures[captureIndex]!.length === 1))
      return new Fault(
        `the pattern of the rule has no capture ${captureUse[0]}${name === undefined ? '' : '; write a plain colon as %3A'}`,
      );
    const literal = read(text.slice(literalStart, captureUse.index));
    if (literal instanceof Fault) return literal;
    templatePieces.push(literal, captureIndex);
    literalStart = captureUse.index + captureUse[0].length;
  }
  const lastLiteral = read(text.slice(literalStart));
  if (lastLiteral instanceof Fault) return lastLiteral;
  return templatePieces.length === 0 ? lastLiteral : [...templatePieces, lastLiteral].filter((piece) => piece !== '');
}

function escapeRest(text: string): string | Fault {
  if (!text.isWellFormed() || text.includes('\ufffd')) return new Fault('the file must be UTF-8');
  return text.replace(/[^\x21-\x7e]|["<>\\^`{|}]/gu, encodeURIComponent);
}
