import { keyName } from './fault.ts';

const NAME = new TextEncoder().encode('basic-auth');
const BASIC_AUTH_FIELD = /^[^\w/-]*basic-auth[^\w/-]*(?:[:=].*)?$/is;

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;
const HASH_SIGN = 0x23;
const HYPHEN = 0x2d;
const COLON = 0x3a;
const EQUALS = 0x3d;
const UNDERSCORE = 0x5f;
const DELETE = 0x7f;

/**
 * Scans a file of lines, such as `_headers`, for a `Basic-Auth` field. On Netlify the field protects a path, so the owner of
 * the site believes that the site is protected. The scan skips only comments, and finds the name in lines that the parser
 * skips, in any case, indented, in quotes, before a colon or an equals sign, and in UTF-16.
 *
 * @returns A function that takes the next bytes of the file and returns the line of the field, from 1, or `null` if the bytes
 *   contain no field. The function takes linear time and constant memory. Source: api §3.
 */
export function scanForBasicAuth(): (bytes: Uint8Array) => number | null {
  let line = 1;
  /** How many characters of `basic-auth` the current word matches; -1 if the word is a different one. */
  let matchedLength = 0;
  let isInWord = false;
  let isLineStart = true;
  let isComment = false;
  return (bytes) => {
    for (let i = 0; i < bytes.length; i += 1) {
      const byte = bytes[i]!;
      if (byte === 0) continue;
      if (byte === LINE_FEED || byte === CARRIAGE_RETURN) {
        if (byte === LINE_FEED) line += 1;
        matchedLength = 0;
        isInWord = isComment = false;
        isLineStart = true;
      } else if (isComment) continue;
      else if (isWordCharacter(byte)) {
        if (!isInWord) matchedLength = 0;
        matchedLength = matchedLength >= 0 && toLower(byte) === NAME[matchedLength] ? matchedLength + 1 : -1;
        isInWord = true;
        isLineStart = false;
      } else {
        if ((byte === COLON || byte === EQUALS) && matchedLength === NAME.length) return line;
        isComment = isLineStart && byte === HASH_SIGN;
        isInWord = false;
        if (byte > SPACE && byte < DELETE) isLineStart = false;
      }
    }
    return null;
  };
}

function toLower(byte: number): number {
  return byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte;
}

function isWordCharacter(byte: number): boolean {
  const lowerCaseByte = byte | 0x20;
  return (
    (lowerCaseByte >= 0x61 && lowerCaseByte <= 0x7a) ||
    (byte >= 0x30 && byte <= 0x39) ||
    byte === HYPHEN ||
    byte === UNDERSCORE
  );
}

/**
 * Finds a `Basic-Auth` field anywhere in a parsed `ship.json`: as a property, or as a text that is not the `value` of a
 * header. Searches entries that the reader skips, too.
 *
 * @returns The position of the field, such as `headers[0].headers[1].key`, or `null`. Source: api §3.
 */
export function findBasicAuth(json: object): string | null {
  const isList = Array.isArray(json);
  for (const [key, value] of Object.entries(json)) {
    const keyPlace = isList ? `[${key}]` : keyName(key);
    if (!isList && BASIC_AUTH_FIELD.test(key)) return keyPlace;
    if (typeof value === 'string' && key !== 'value' && BASIC_AUTH_FIELD.test(value)) return keyPlace;
    const nestedField = typeof value === 'object' && value !== null ? findBasicAuth(value as object) : null;
    if (nestedField !== null) return Array.isArray(value) ? keyPlace + nestedField : `${keyPlace}.${nestedField}`;
  }
  return null;
}
