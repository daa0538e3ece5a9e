const ZERO = 0x30;
const POINT = 0x2e;

/** Returns a table of the character codes of ASCII: 1 for each of the given characters. */
export function characters(text: string): Uint8Array {
  const table = new Uint8Array(128);
  for (const byte of Buffer.from(text)) table[byte] = 1;
  return table;
}

/** Whether a text has at most `maxLength` characters, all of them allowed. */
export function consistsOf(text: string, allowed: Uint8Array, maxLength: number): boolean {
  if (text.length > maxLength) return false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code > 127 || allowed[code] === 0) return false;
  }
  return true;
}

/** Writes bytes. For a few of them, this loop takes less time than `set`. @returns The end. */
export function writeBytes(target: Uint8Array, start: number, bytes: Uint8Array): number {
  for (let i = 0; i < bytes.length; i++) target[start + i] = bytes[i]!;
  return start + bytes.length;
}

/** Writes a text of ASCII. A call of `Buffer.write` takes longer than this loop for a short text. @returns The end. */
export function writeText(target: Uint8Array, start: number, text: string): number {
  for (let i = 0; i < text.length; i++) target[start + i] = text.charCodeAt(i);
  return start + text.length;
}

/** Writes a text that must consist of the allowed characters of ASCII. @returns The end; -1 for any other text. */
export function writeChecked(target: Uint8Array, start: number, text: string, allowed: Uint8Array): number {
  const { length } = text;
  for (let i = 0; i < length; i++) {
    const code = text.charCodeAt(i);
    if (code > 127 || allowed[code] === 0) return -1;
    target[start + i] = code;
  }
  return start + length;
}

/** Writes a whole number in decimal digits. @param value Not negative. @returns The end. */
export function writeInteger(target: Uint8Array, start: number, value: number): number {
  let digits = 1;
  for (let power = 10; power <= value; power *= 10) digits += 1;
  let rest = value;
  for (let i = start + digits - 1; i >= start; i--) {
    target[i] = ZERO + (rest % 10);
    rest = Math.floor(rest / 10);
  }
  return start + digits;
}

/** Writes a number as JSON does: with one digit after the point, unless that is zero. @returns The end. */
export function writeTenths(target: Uint8Array, start: number, tenths: number): number {
  const end = writeInteger(target, start, Math.floor(tenths / 10));
  if (tenths % 10 === 0) return end;
  target[end] = POINT;
  target[end + 1] = ZERO + (tenths % 10);
  return end + 2;
}
