/** The maximum length of a text in an error, in UTF-16 units. Longer than the longest path. */
const MAX_TEXT = 2_048;
/** The maximum number of entries that an error lists. */
const MAX_LISTED = 50;
/** The maximum total size of these entries as JSON, in bytes. */
const MAX_LIST_BYTES = 12 * 1024;

/** The message and the details of an error. */
interface ErrorText {
  message: string;
  details?: object | undefined;
}

/**
 * Limits the message and the details of an error to about 16 KiB: long texts are cut, long lists are cut to their first
 * entries, and the message counts the rest.
 *
 * @param details Values of at most two levels, such as lists of objects.
 * Source: api §2.
 */
export function limitErrorSize({ message, details }: ErrorText): ErrorText {
  if (!details) return { message: cut(message) };
  let left = 0;
  const bounded = Object.entries(details).map(([name, value]: [string, unknown]) => {
    if (!Array.isArray(value)) return [name, cutTexts(value)];
    const boundedEntries = firstEntries(value);
    left += value.length - boundedEntries.length;
    return [name, boundedEntries];
  });
  const rest = left > 0 ? ` (and ${left.toLocaleString('en-US')} more that are not listed)` : '';
  return { message: `${cut(message)}${rest}`, details: Object.fromEntries(bounded) };
}

function firstEntries(list: readonly unknown[]): unknown[] {
  const entries: unknown[] = [];
  let size = 0;
  for (const value of list.slice(0, MAX_LISTED)) {
    const entry = cutTexts(value);
    size += Buffer.byteLength(JSON.stringify(entry));
    if (size > MAX_LIST_BYTES) break;
    entries.push(entry);
  }
  return entries;
}

/** Cuts a text, or the texts in an object. */
function cutTexts(value: unknown): unknown {
  if (typeof value === 'string') return cut(value);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, text]) => [name, typeof text === 'string' ? cut(text) : text]),
  );
}

function cut(text: string): string {
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT).toWellFormed()}…` : text;
}
