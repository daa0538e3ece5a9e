import { Fault, quote } from './fault.ts';
import { readHost } from './host-pattern.ts';

/** A pattern as the database stores it: a literal path without slashes at its ends, or an {@link OpenPattern}. Source: serving S24. */
export type Pattern = string | OpenPattern;

/** A pattern with placeholders, a star, or both. */
export interface OpenPattern {
  /** The literal texts before, between and after the placeholders. */
  texts: string[];
  /** The star after the last literal text. */
  star?: Star;
}

interface Star {
  /** The literal text after the star. */
  tail: string;
  mayBeEmpty: boolean;
  /** Texts that the captured text must not start with. */
  except?: string[];
}

/** The syntax of patterns and destinations: `json` in `ship.json`, `lines` in `_redirects` and `_headers`. */
export type Dialect = 'json' | 'lines';

/** A parsed pattern, and the names that a destination can use for its captures. */
interface ReadPattern {
  pattern: Pattern;
  /** The names of each capture: of the placeholders in order, then of the star. In `ship.json` a star can have several names. */
  captures: string[][];
}

/** The maximum length of a pattern or a destination, in characters. Source: serving S65. */
export const MAX_CHARACTERS = 2000;

// Bounds the cost of one pattern, because all patterns of a site must be tried within a millisecond.
const MAX_CAPTURES = 8;
const PLACEHOLDER = /^:([a-z_]\w*)$/i;
const NAMED_STAR = /^:([a-z_]\w*)([*+])$/i;
// Matches a star with its name or its exceptions, as in `((?!api/|assets/).*)` and `:path(.*)`.
const STAR_GROUP = /(?::(?<name>[a-z_]\w*))?\((?:\(\?!(?<except>[^()]*)\))?\.\*\)/i;
const MAX_EXCEPTIONS = 32;
const RESERVED_CHARACTER = /[()[\]{}|^$?+*]/;
const STRAY_NAME = /:[a-z_]/i;
const STAR_HINTS = { json: 'write the star as (.*) or as a last segment :name*', lines: 'write the star as *' };

/** A parsed pattern of `_redirects` or `_headers`, which can start with a host. */
interface ReadSource extends ReadPattern {
  /** The host that the pattern starts with, with `*` for placeholders. Absent for a pattern of every host. */
  host?: string;
}

const HOST = /^https?:\/\/(?<host>[^/\\?#@]+)(?<path>\/.*)?$/i;

/**
 * Parses a path, or an address such as `https://:project.example.com/*`, whose rule applies to requests for this host only. The
 * captures of the host come before those of the path. Source: serving S24, S30.
 */
export function readSource(text: string): ReadSource | Fault {
  const { host, path = '/' } = HOST.exec(text)?.groups ?? {};
  if (host === undefined) return readPattern(text, 'lines');
  const name = readHost(host);
  if (name instanceof Fault) return name;
  const source = readPattern(path, 'lines');
  if (source instanceof Fault) return source;
  const captures = [...name.names.map((each) => [each]), ...source.captures];
  return checkCaptures(captures) ?? { pattern: source.pattern, captures, host: name.host };
}

/** Parses a pattern. User input never becomes a regular expression. Source: serving S24, S30. */
export function readPattern(text: string, dialect: Dialect): ReadPattern | Fault {
  if (text.length > MAX_CHARACTERS) return new Fault(`a path must have at most ${MAX_CHARACTERS} characters`);
  if (/^(?:[a-z][a-z\d+.-]*:)?\/\//i.test(text))
    return new Fault('a rule applies to every host of the site, so write only the path, as in /old');
  if (!text.startsWith('/')) return new Fault(`a path must start with a slash, as in /old; this is ${quote(text)}`);

  const group = dialect === 'json' ? STAR_GROUP.exec(text)?.groups : undefined;
  const except = group?.['except'] === undefined ? undefined : readExceptions(group['except']);
  if (except instanceof Fault) return except;
  const plainText = group ? text.replace(STAR_GROUP, '(.*)') : text;

  const texts: string[] = [];
  const captures: string[][] = [];
  let star: Star | undefined;
  let current = '';
  const segments = plainText.slice(1).replace(/\/$/, '').split('/');
  for (const [index, segment] of segments.entries()) {
    const isLast = index === segments.length - 1;
    const namedStar = isLast && dialect === 'json' ? NAMED_STAR.exec(segment) : null;
    const placeholder = PLACEHOLDER.exec(segment);
    if (index > 0) current += '/';
    if (placeholder) {
      if (star)
        return new Fault(
          `the placeholder ${segment} must not come after the star; move it before the star or write it out`,
        );
      captures.push([placeholder[1]!]);
      texts.push(current);
      current = '';
      continue;
    }
    const pieces = namedStar ? ['', ''] : segment.split(dialect === 'json' ? '(.*)' : '*');
    if (pieces.length > 2 || (pieces.length === 2 && star)) return new Fault('a pattern can have only one star');
    for (const [n, piece] of pieces.entries()) {
      if (n === 1) {
        star = { tail: '', mayBeEmpty: namedStar?.[2] !== '+', ...(except && { except }) };
        captures.push(starNames(namedStar?.[1] ?? group?.['name'], dialect));
        texts.push(current);
        current = '';
      }
      const isWholeSegment = pieces.length === 1;
      if (piece === '' && (!isWholeSegment || text === '/')) continue;
      const literal = readPiece(piece, dialect, isWholeSegment);
      if (literal instanceof Fault) return literal;
      current += literal;
    }
  }
  if (star) star.tail = current;
  else texts.push(current);
  const fault = checkCaptures(captures);
  if (fault) return fault;
  const isLiteral = captures.length === 0;
  return { pattern: isLiteral ? texts[0]! : { texts, ...(star === undefined ? {} : { star }) }, captures };
}

/** Returns why the captures of a pattern are invalid; `null` if they are valid. */
function checkCaptures(captures: readonly string[][]): Fault | null {
  const names = captures.flat();
  const repeatedName = names.find((name, index) => names.indexOf(name) !== index);
  if (repeatedName !== undefined)
    return new Fault(`the name :${repeatedName} is used twice; every placeholder must have a different name`);
  return captures.length > MAX_CAPTURES
    ? new Fault(`a pattern can have at most ${MAX_CAPTURES} placeholders and stars`)
    : null;
}

/** Parses the texts of a negative lookahead, such as `api/|favicon\\.ico|assets/.*`. */
function readExceptions(alternatives: string): string[] | Fault {
  const texts = alternatives.split('|').map((text) => text.replace(/\.\*$/, '').replaceAll(/\\(?=[./-])/g, ''));
  const literals = texts.map((text) => (text === '' || RESERVED_CHARACTER.test(text) ? null : readLiteral(text)));
  const exceptions = literals.filter((text) => typeof text === 'string');
  return exceptions.length === texts.length && texts.length <= MAX_EXCEPTIONS
    ? exceptions
    : new Fault(
        `the exceptions of a star must be at most ${MAX_EXCEPTIONS} literal texts, as in /((?!api/|assets/).*)`,
      );
}

function starNames(name: string | undefined, dialect: Dialect): string[] {
  if (dialect === 'lines') return ['splat'];
  return name === undefined ? ['1'] : ['1', name];
}

function readPiece(piece: string, dialect: Dialect, isWholeSegment: boolean): string | Fault {
  const reservedCharacter = RESERVED_CHARACTER.exec(piece);
  if (reservedCharacter) {
    const code = `%${reservedCharacter[0].charCodeAt(0).toString(16).toUpperCase()}`;
    return new Fault(
      `${reservedCharacter[0]} is not allowed there; ${STAR_HINTS[dialect]}, and the character as ${code}`,
    );
  }
  if (STRAY_NAME.test(piece))
    return new Fault(`a placeholder must be a whole segment, as in /:name; write a colon as %3A (in ${quote(piece)})`);
  const literal = readLiteral(piece);
  if (literal instanceof Fault) return literal;
  if (isWholeSegment && (literal === '' || literal === '.' || literal === '..'))
    return new Fault('a path must not have empty, . or .. segments');
  return literal;
}

/** A path to match, prepared once for all patterns: as requested, without and with a trailing slash. */
export interface Subject {
  path: string;
  bare: string;
  folder: string;
}

export function withoutSlash(path: string): string {
  return path.endsWith('/') ? path.slice(0, -1) : path;
}

/** Prepares a path for matching. @param path A path in the format of `RequestPath.path`. */
export function subjectOf(path: string): Subject {
  const pathWithoutSlash = withoutSlash(path);
  return { path, bare: pathWithoutSlash, folder: `${pathWithoutSlash}/` };
}

/**
 * Matches a path in time linear in its length.
 *
 * @returns The decoded texts that the placeholders and then the star capture; `null` if the path does not match. A star at the
 *   end of the pattern also captures a trailing slash of the path. Source: serving S24.
 */
export function matchPattern(pattern: OpenPattern, { path, bare, folder }: Subject): readonly string[] | null {
  const { texts, star } = pattern;
  // A star at the end also matches the folder: `/docs/*` matches `/docs`.
  const subject = star?.tail === '' ? folder : bare;
  if (!subject.startsWith(texts[0]!)) return null;
  let position = texts[0]!.length;
  const captures: string[] = [];
  for (let n = 1; n < texts.length; n += 1) {
    const slash = subject.indexOf('/', position);
    const segmentEnd = slash < 0 ? subject.length : slash;
    if (segmentEnd === position || !subject.startsWith(texts[n]!, segmentEnd)) return null;
    captures.push(subject.slice(position, segmentEnd));
    position = segmentEnd + texts[n]!.length;
  }
  if (!star) return position === subject.length ? captures : null;
  const starEnd = star.tail === '' ? path.length : bare.length - star.tail.length;
  if (star.tail !== '' && (starEnd < position || !bare.endsWith(star.tail))) return null;
  const starText = path.slice(position, Math.max(position, starEnd));
  if (star.except?.some((text) => starText.startsWith(text))) return null;
  if (!star.mayBeEmpty && (starText === '' || starText === '/')) return null;
  captures.push(starText);
  return captures;
}

const CONTROL = /\p{Cc}/u;

/** Parses literal path text of a rule file like a request path: decoded once, in NFC. Source: serving S7, S8, S24. */
export function readLiteral(text: string): string | Fault {
  if (!text.isWellFormed() || text.includes('\ufffd')) return new Fault('the file must be UTF-8');
  if (/[#?]/.test(text)) return new Fault('a path must not contain # or ?; write them as %23 or %3F');
  let decoded: string;
  try {
    decoded = decodeURIComponent(text).normalize('NFC');
  } catch {
    return new Fault('a % must be followed by two hex digits of UTF-8; write the character itself as %25');
  }
  if (CONTROL.test(decoded)) return new Fault('a path must not contain control characters');
  if (decoded.includes('\\') || /%2f/i.test(text))
    return new Fault('a segment must not contain a slash or backslash, escaped or not');
  return decoded;
}
