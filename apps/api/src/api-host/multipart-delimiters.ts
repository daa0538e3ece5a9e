import { invalid, type ServiceError } from '@berth/core';

/** Counts the parts of one multipart body by its delimiters. */
export interface Delimiters {
  /** Reads the next bytes. @throws `validation_failed` for text before or after the parts, or on a boundary line. */
  push(chunk: Buffer): void;
  /** Returns the number of parts that have begun. */
  parts(): number;
}

const FORM_TYPE = /^multipart\/form-data[ \t]*/i;
const PARAMETER = /;[ \t]*([\w!#$%&'*+.^`|~-]+)=(?:"([^"\\]*)"|([\w!#$%&'*+.^`|~-]+))[ \t]*/gy;
/** Matches 1 to 70 visible characters or spaces, without a space at the end. */
const BOUNDARY = /^[\x20-\x7e]{0,69}[\x21-\x7e]$/;
const LINE_END = '\r\n';

/**
 * Reads the boundary from a `Content-Type`.
 *
 * @throws `validation_failed` for another type, and for a missing, repeated or malformed boundary. Source: RFC 2046
 *   §5.1.1; RFC 7578 §4.1.
 */
export function readBoundary(contentType: string): string {
  const parameterText = contentType.replace(FORM_TYPE, '');
  if (parameterText === contentType) throw invalid('Content-Type', 'a deploy must be sent as multipart/form-data');
  const parameters = [...parameterText.matchAll(PARAMETER)];
  const isReadable = parameters.reduce((length, [text]) => length + text.length, 0) === parameterText.length;
  const [boundary, ...others] = parameters
    .filter(([, name]) => name!.toLowerCase() === 'boundary')
    .map(([, , quoted, token]) => quoted ?? token!);
  if (!isReadable || boundary === undefined || others.length > 0 || !BOUNDARY.test(boundary))
    throw invalid(
      'Content-Type',
      'must name one boundary of 1 to 70 characters, as in multipart/form-data; boundary=x',
    );
  return boundary;
}

/**
 * Counts the parts of a body by its delimiters. The parser silently drops parts that it cannot read; if its count is
 * the same, it has read all parts. Source: security F3, T8; RFC 2046 §5.1.1.
 */
export function followDelimiters(boundary: string): Delimiters {
  const needle = Buffer.from(`${LINE_END}--${boundary}`, 'latin1');
  /** The length of a delimiter and of the two bytes after it, which say whether it is the last one. */
  const span = needle.length + 2;
  /** The last bytes so far, in which a delimiter may have begun. The body is read as if a line end preceded it. */
  let carry = Buffer.from(LINE_END);
  let position = 0;
  let parts = 0;
  let end: number | null = null;

  /** Processes the delimiters that begin before `limit`. `start` is the position of the bytes in the body. */
  function scan(bytes: Buffer, start: number, limit: number): void {
    for (
      let at = bytes.indexOf(needle);
      at >= 0 && at < limit && at + span <= bytes.length;
      at = bytes.indexOf(needle, at + needle.length)
    ) {
      if (end !== null) return;
      if (parts === 0 && start + at !== -LINE_END.length)
        throw malformedBody('nothing may come before the first boundary');
      const lineEnd = bytes.toString('latin1', at + needle.length, at + span);
      if (lineEnd === '--') end = start + at + span;
      else if (lineEnd === LINE_END) parts += 1;
      else throw malformedBody('a boundary line must contain only the boundary');
    }
  }

  return {
    parts: () => parts,
    push(chunk) {
      const seam = Buffer.concat([carry, chunk.subarray(0, span - 1)]);
      scan(seam, position - carry.length, carry.length);
      scan(chunk, position, chunk.length);
      if (end !== null && /\S/.test(chunk.toString('latin1', Math.max(0, end - position))))
        throw malformedBody('nothing may come after the last boundary');
      carry = Buffer.from(chunk.length < span ? seam.subarray(-(span - 1)) : chunk.subarray(-(span - 1)));
      position += chunk.length;
    },
  };
}

/** Creates the error for a body that is not a multipart form. */
export function malformedBody(why: string): ServiceError {
  return invalid('body', `the body must be readable multipart/form-data: ${why}`);
}
