import { Fault, quote } from './fault.ts';

/**
 * A pattern as stored with a deployment: a literal path without slashes at its ends, or an {@link OpenPattern}.
 *
 * Source: serving S24.
 */
export type Pattern = string | OpenPattern;

/** A pattern with placeholders, a star, or both. */
export interface OpenPattern {
  /** The literal texts around the placeholders: one more than there are placeholders. */
  texts: string[];
  /** The star after the last of `texts`, and the literal text after that star. */
  star?: { tail: string; mayBeEmpty: boolean };
}

/** The syntax of patterns and destinations: that of `ship.json`, or that of the line files. */
export type Dialect = 'json' | 'lines';

/** A parsed pattern, and the names that a destination can use for its captures. */
export interface ReadPattern {
  pattern: Pattern;
  /** The placeholders in order, then the star. In `ship.json` a star has several names. */
  captures: string[][];
}

/** Maximum length of a pattern or a destination in characters, the same as of a line. Source: serving S65. */
export const MAX_CHARACTERS = 2000;

// Bounds the cost of one pattern: all patterns of a site must be tried within a millisecond.
const MAX_CAPTURES = 8;
const PLACEHOLDER = /^:([a-z_]\w*)$/i;
const NAMED_STAR = /^:([a-z_]\w*)([*+])$/i;
const RESERVED = /[()[\]{}|^$?+*]/;
const STRAY_NAME = /:[a-z_]/i;

/**
 * Parses a pattern. Its pieces are compared as text; user input never becomes a regular expression.
 *
 * @returns A fault for syntax that the matcher does not support, and for a pattern that no path can match. Source: serving S24, S30.
 */
export function readPattern(text: string, dialect: Dialect): ReadPattern | Fault {
  if (text.length > MAX_CHARACTERS) return new Fault(`a path must have at most ${MAX_CHARACTERS} characters`);
  if (/^(?:[a-z][a-z\d+.-]*:)?\/\//i.test(text))
    return new Fault('a rule applies to every host of the site, so write only the path, as in /old');
  if (!text.startsWith('/')) return new Fault(`a path must start with a slash, as in /old; this is ${quote(text)}`);

  const texts: string[] = [];
  const captures: string[][] = [];
  let star: OpenPattern['star'];
  let current = '';
  const segments = text.slice(1).replace(/\/$/, '').split('/');
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
        star = { tail: '', mayBeEmpty: namedStar?.[2] !== '+' };
        captures.push(starNames(namedStar?.[1], dialect));
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
  const names = captures.flat();
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined)
    return new Fault(`the name :${twice} is used twice; every placeholder must have a different name`);
  if (captures.length > MAX_CAPTURES)
    return new Fault(`a pattern can have at most ${MAX_CAPTURES} placeholders and stars`);
  const isLiteral = captures.length === 0;
  return { pattern: isLiteral ? texts[0]! : { texts, ...(star === undefined ? {} : { star }) }, captures };
}

function starNames(name: string | undefined, dialect: Dialect): string[] {
  if (dialect === 'lines') return ['splat'];
  return name === undefined ? ['1'] : ['1', name];
}

function readPiece(piece: string, dialect: Dialect, isWholeSegment: boolean): string | Fault {
  const reserved = RESERVED.exec(piece);
  if (reserved)
    return new Fault(
      `${reserved[0]} is not allowed there; ${dialect === 'json' ? 'the star is (.*) or a last :name*' : 'the star is *'}, ` +
        `and the character itself must be written as ${percent(reserved[0])}`,
    );
  if (STRAY_NAME.test(piece))
    return new Fault(`a placeholder must be a whole segment, as in /:name; write a colon as %3A (in ${quote(piece)})`);
  const literal = readLiteral(piece);
  if (literal instanceof Fault) return literal;
  if (isWholeSegment && (literal === '' || literal === '.' || literal === '..'))
    return new Fault('a path must not have empty, . or .. segments');
  return literal;
}

const percent = (character: string) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;

/** A path to match, prepared once for all patterns. */
export interface Subject {
  /** As requested. */
  path: string;
  /** Without a trailing slash. */
  bare: string;
  /** With a trailing slash. */
  folder: string;
}

/** A path without its trailing slash. */
export function withoutSlash(path: string): string {
  return path.endsWith('/') ? path.slice(0, -1) : path;
}

/** Prepares a path for matching. @param path In the format of `RequestPath.path`. */
export function subjectOf(path: string): Subject {
  const bare = withoutSlash(path);
  return { path, bare, folder: `${bare}/` };
}

/**
 * Matches a path, in time linear in its length.
 *
 * @returns The text captured by the placeholders and then by the star, decoded; `null` if the path does not match. A star at the end
 *   also captures a trailing slash of the path. Source: serving S24.
 */
export function matchPattern(pattern: OpenPattern, { path, bare, folder }: Subject): readonly string[] | null {
  const { texts, star } = pattern;
  // With the trailing slash, the folder itself starts like the paths below it: `/docs/*` also matches `/docs`.
  const subject = star?.tail === '' ? folder : bare;
  if (!subject.startsWith(texts[0]!)) return null;
  let at = texts[0]!.length;
  const captures: string[] = [];
  for (let n = 1; n < texts.length; n += 1) {
    const slash = subject.indexOf('/', at);
    const end = slash < 0 ? subject.length : slash;
    if (end === at || !subject.startsWith(texts[n]!, end)) return null;
    captures.push(subject.slice(at, end));
    at = end + texts[n]!.length;
  }
  if (!star) return at === subject.length ? captures : null;
  const end = star.tail === '' ? path.length : bare.length - star.tail.length;
  if (star.tail !== '' && (end < at || !bare.endsWith(star.tail))) return null;
  const rest = path.slice(at, Math.max(at, end));
  if (!star.mayBeEmpty && (rest === '' || rest === '/')) return null;
  captures.push(rest);
  return captures;
}

const CONTROL = /\p{Cc}/u;

/**
 * Parses literal path text in a rule file like a request path: percent-decoded once, in NFC.
 *
 * @returns A fault for text that cannot occur in a request path. Source: serving S7, S8, S24.
 */
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
