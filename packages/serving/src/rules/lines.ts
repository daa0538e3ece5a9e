import type { Warn } from './fault.ts';

/** The maximum length of a line in `_redirects` or `_headers`, in characters. Source: serving S65. */
const MAX_LINE_CHARACTERS = 2000;

const LINE_FEED = 10;

/**
 * Yields the lines of `_redirects` or `_headers` without surrounding white space, blank lines, comments and a byte-order mark.
 * Skips lines beyond the limits with a warning. Line numbers start at 1.
 *
 * @param maxBytes The maximum number of bytes of the file that are read. Source: serving S22, S65.
 */
export function* readLines(
  bytes: Uint8Array,
  file: string,
  maxBytes: number,
  warn: Warn,
): Generator<{ number: number; text: string }> {
  const isCut = bytes.length > maxBytes;
  const keptBytes = isCut ? bytes.subarray(0, bytes.lastIndexOf(LINE_FEED, maxBytes - 1) + 1) : bytes;
  const lines = new TextDecoder().decode(keptBytes).split('\n');
  for (const [index, line] of lines.entries()) {
    const text = line.trim();
    const lineNumber = index + 1;
    if (text === '' || text.startsWith('#')) continue;
    if (text.length <= MAX_LINE_CHARACTERS) yield { number: lineNumber, text };
    else warn({ file, line: lineNumber }, `Skipped: a line must have at most ${MAX_LINE_CHARACTERS} characters.`);
  }
  if (isCut)
    warn(
      { file, line: lines.length },
      `Skipped this line and all further ones: only the first ${maxBytes} bytes of the file are read.`,
    );
}
