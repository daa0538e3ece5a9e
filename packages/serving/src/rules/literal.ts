import { Fault } from './fault.ts';

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
