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
  const text = new TextDecoder().decode(keptBytes);
  let number = 0;
  // Lines are cut off one by one, because an array of all of them would survive many collections of garbage.
  for (let start = 0; start <= text.length;) {
    const lineFeed = text.indexOf('\n', start);
    const end = lineFeed < 0 ? text.length : lineFeed;
    const line = text.slice(start, end).trim();
    start = end + 1;
    number += 1;
    if (line === '' || line.startsWith('#')) continue;
    if (line.length <= MAX_LINE_CHARACTERS) yield { number, text: line };
    else warn({ file, line: number }, `Skipped: a line must have at most ${MAX_LINE_CHARACTERS} characters.`);
  }
  if (isCut)
    warn(
      { file, line: number },
      `Skipped this line and all further ones: only the first ${maxBytes} bytes of the file are read.`,
    );
}
