import type { Warn } from './fault.ts';

/** The longest line of a line file, in characters. Source: serving S65. */
export const MAX_LINE_CHARACTERS = 2000;

const LINE_FEED = 10;

/** A line that says something, without the white space around it. */
export interface Line {
  /** From 1. */
  number: number;
  text: string;
}

/**
 * The lines of a line file that say something. Blank lines and comments are left out, and so, with a warning, is what
 * lies beyond the limits. A byte-order mark is skipped.
 *
 * @param maxBytes How much of the file is read. Source: serving S22, S65.
 */
export function* readLines(bytes: Uint8Array, file: string, maxBytes: number, warn: Warn): Generator<Line> {
  const isCut = bytes.length > maxBytes;
  const read = isCut ? bytes.subarray(0, bytes.lastIndexOf(LINE_FEED, maxBytes - 1) + 1) : bytes;
  const lines = new TextDecoder().decode(read).split('\n');
  for (const [index, line] of lines.entries()) {
    const text = line.trim();
    const number = index + 1;
    if (text === '' || text.startsWith('#')) continue;
    if (text.length <= MAX_LINE_CHARACTERS) yield { number, text };
    else warn({ file, line: number }, `Skipped: a line has at most ${MAX_LINE_CHARACTERS} characters.`);
  }
  if (isCut) warn({ file, line: lines.length }, `Skipped from here on: the file has at most ${maxBytes} bytes.`);
}
