import { ServiceError } from './errors.ts';

/** The limits of JSON that a client sends. */
export interface JsonBounds {
  /** The maximum length in bytes of UTF-8, which the code that reads the bytes enforces. */
  maxBytes: number;
  /** The maximum nesting depth of objects and arrays. */
  maxDepth: number;
  /** The maximum number of values: objects, arrays, and everything in them. */
  maxValues: number;
}

/** The length of the pieces in which a text is checked, in UTF-16 units. */
const SLICE_LENGTH = 16 * 1024;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Counts the depth and the values of JSON by its punctuation, without parsing, in constant memory and linear time. Counts
 * invalid JSON in the same way.
 *
 * @param what Names the JSON, as the start of a sentence: "The body".
 * @returns A function that counts the next bytes. It throws `validation_failed` for JSON that is nested too deeply, and
 *   `payload_too_large` for too many values.
 */
export function meterJson(what: string, { maxBytes, maxDepth, maxValues }: JsonBounds): (chunk: Uint8Array) => void {
  let depth = 0;
  // Every value except the first follows a comma or the start of a list or an object.
  let values = 1;
  let inString = false;
  let isEscaped = false;
  return (chunk) => {
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at];
      if (inString) {
        if (isEscaped) isEscaped = false;
        else if (byte === BACKSLASH) isEscaped = true;
        else if (byte === QUOTE) inString = false;
      } else if (byte === QUOTE) inString = true;
      else if (byte === COMMA) values += 1;
      else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
        depth += 1;
        values += 1;
        if (depth > maxDepth)
          throw new ServiceError('validation_failed', `${what} must be nested at most ${maxDepth} levels deep.`);
      } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) depth -= 1;
    }
    if (values > maxValues)
      throw new ServiceError('payload_too_large', `${what} must have at most ${maxValues} JSON values.`, {
        details: { limit: 'body', max: maxBytes },
      });
  };
}

/**
 * Parses JSON text of a client within limits.
 *
 * @param what Names the text, as the start of a sentence: "The body".
 * @throws the errors of {@link meterJson} before anything is parsed, or `validation_failed` for malformed JSON.
 */
export function parseBoundedJson(text: string, what: string, bounds: JsonBounds): unknown {
  const countJson = meterJson(what, bounds);
  for (let at = 0; at < text.length; at += SLICE_LENGTH) countJson(Buffer.from(text.slice(at, at + SLICE_LENGTH)));
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ServiceError('validation_failed', `${what} must be valid JSON.`, { cause });
  }
}
