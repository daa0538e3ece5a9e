import type { Warn } from './fault.ts';

/** Maximum length of a line in a line file, in characters. Source: serving S65. */
const MAX_LINE_CHARACTERS = 2000;

const LINE_FEED = 10;

/** A line with a rule, without surrounding white space. */
export interface Line {
  /** From 1. */
  number: number;
  text: string;
}

/**
 * Yields the lines of a line file, without blank lines and comments. Lines beyond the limits are skipped with a warning. A
 * byte-order mark is skipped.
 *
 * @param maxBytes How many bytes of the file are read. Source: serving S22, S65.
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
    else warn({ file, line: number }, `Skipped: a line must have at most ${MAX_LINE_CHARACTERS} characters.`);
  }
  if (isCut)
    warn(
      { file, line: lines.length },
      `Skipped this line and all further ones: only the first ${maxBytes} bytes of the file are read.`,
    );
}
