import { Fault } from './fault.ts';

const CONTROL = /\p{Cc}/u;

/**
 * Reads literal text of a path in a rule file as a request path is read: decoded once, in NFC.
 *
 * @returns A fault for text that no request path can hold. Source: serving S7, S8, S24.
 */
export function readLiteral(text: string): string | Fault {
  if (!text.isWellFormed() || text.includes('\ufffd')) return new Fault('the file is UTF-8; this is not');
  if (/[#?]/.test(text)) return new Fault('a path holds no # or ?: such a character is written %23 or %3F');
  let decoded: string;
  try {
    decoded = decodeURIComponent(text).normalize('NFC');
  } catch {
    return new Fault('behind % stand two hex digits of UTF-8; the character itself is written %25');
  }
  if (CONTROL.test(decoded)) return new Fault('a path holds no control characters');
  if (decoded.includes('\\') || /%2f/i.test(text))
    return new Fault('a segment holds no slash or backslash, escaped or not');
  return decoded;
}
