import { invalid, type ServiceError } from '@berth/core';

/** Receives the parts of a multipart body in order. Each part has one head, its content in any number of pieces, and one end. */
export interface PartEvents {
  /** @param head The lines of the head, without the empty line after it. Valid until the call returns. */
  onHead(head: Buffer): void;
  /** @param bytes The next bytes of the content. Valid until the call returns. */
  onContent(bytes: Buffer): void;
  onEnd(): void;
}

const FORM_TYPE = /^multipart\/form-data[ \t]*/i;
const PARAMETER = /;[ \t]*([\w!#$%&'*+.^`|~-]+)=(?:"([^"\\]*)"|([\w!#$%&'*+.^`|~-]+))[ \t]*/gy;
/** Matches 1 to 70 visible characters or spaces, without a space at the end. */
const BOUNDARY = /^[\x20-\x7e]{0,69}[\x21-\x7e]$/;
const LINE_END = '\r\n';
/** The end of the head of a part. */
export const HEAD_END = Buffer.from('\r\n\r\n');
const CR = 0x0d;
const LF = 0x0a;
const DASH = 0x2d;
/** The maximum size of a head. */
const MAX_HEAD_BYTES = 16 * 1024;

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
 * What the next bytes are. A delimiter is a line end, two dashes and the boundary; the two bytes after it say whether it is the
 * last one.
 */
type Expected = 'first-delimiter' | 'delimiter' | 'head' | 'content-start' | 'content' | 'epilogue';

/**
 * Splits a multipart body into its parts, without copying their contents. Keeps at most one head or delimiter in memory.
 * Source: security F3, T8; RFC 2046 §5.1.1.
 */
export class MultipartSplitter {
  readonly #delimiter: Buffer;
  readonly #boundary: Buffer;
  readonly #events: PartEvents;
  #expected: Expected = 'first-delimiter';
  /** The bytes that were received but not read. The body is read as if a line end preceded it. */
  #unread: Buffer | null = Buffer.from(LINE_END);
  /** A head that began in an earlier chunk. */
  #head: Buffer | null = null;
  #headBytes = 0;

  constructor(boundary: string, events: PartEvents) {
    this.#delimiter = Buffer.from(`${LINE_END}--${boundary}`, 'latin1');
    this.#boundary = this.#delimiter.subarray(LINE_END.length);
    this.#events = events;
  }

  /** Reads the next bytes. @throws `validation_failed` for a malformed body; what the events throw. */
  write(chunk: Buffer): void {
    const bytes = this.#unread ? Buffer.concat([this.#unread, chunk]) : chunk;
    this.#unread = null;
    for (let at = 0; at < bytes.length;) {
      const next = this.#read(bytes, at);
      if (next === at) {
        // The copy does not keep the whole chunk in memory.
        this.#unread = Buffer.from(bytes.subarray(at));
        return;
      }
      at = next;
    }
  }

  /** Ends the body. @throws `validation_failed` if the body is not complete. */
  end(): void {
    if (this.#expected !== 'epilogue') throw malformedBody('the body ends before the last boundary');
  }

  /** Reads from a position. @returns The position after the read bytes; the same position if more bytes are needed. */
  #read(bytes: Buffer, at: number): number {
    switch (this.#expected) {
      case 'first-delimiter':
        if (!this.#mayBegin(this.#delimiter, bytes, at))
          throw malformedBody('nothing may come before the first boundary');
        return this.#readDelimiter(bytes, at);
      case 'delimiter':
        return this.#readDelimiter(bytes, at);
      case 'head':
        return this.#readHead(bytes, at);
      case 'content-start':
        return this.#readContentStart(bytes, at);
      case 'content':
        return this.#readContent(bytes, at);
      case 'epilogue':
        if (/\S/.test(bytes.toString('latin1', at))) throw malformedBody('nothing may come after the last boundary');
        return bytes.length;
      default:
        return this.#expected satisfies never;
    }
  }

  #readDelimiter(bytes: Buffer, at: number): number {
    const end = at + this.#delimiter.length;
    if (bytes.length < end + LINE_END.length) return at;
    const isLast = bytes[end] === DASH && bytes[end + 1] === DASH;
    if (!isLast && (bytes[end] !== CR || bytes[end + 1] !== LF))
      throw malformedBody('a boundary line must contain only the boundary');
    if (this.#expected === 'delimiter') this.#events.onEnd();
    this.#expected = isLast ? 'epilogue' : 'head';
    return isLast ? end + LINE_END.length : end;
  }

  /** Reads a head, beginning with the line end of its delimiter, so that the end of an empty head is found as well. */
  #readHead(bytes: Buffer, at: number): number {
    if (this.#headBytes === 0) {
      const end = bytes.indexOf(HEAD_END, at);
      if (end >= 0) return this.#passHead(bytes.subarray(at, end), end);
    }
    this.#head ??= Buffer.allocUnsafe(MAX_HEAD_BYTES);
    const copiedBytes = bytes.copy(this.#head, this.#headBytes, at);
    const headBytes = this.#headBytes + copiedBytes;
    const end = this.#head.subarray(0, headBytes).indexOf(HEAD_END, Math.max(0, this.#headBytes - HEAD_END.length + 1));
    if (end < 0) {
      if (headBytes === MAX_HEAD_BYTES) throw headTooLong();
      this.#headBytes = headBytes;
      return at + copiedBytes;
    }
    const endInBytes = at + end - this.#headBytes;
    this.#headBytes = 0;
    return this.#passHead(this.#head.subarray(0, end), endInBytes);
  }

  /** @param end The end of the head in the bytes, which is negative if its last line ended in an earlier chunk. */
  #passHead(head: Buffer, end: number): number {
    if (head.length > MAX_HEAD_BYTES) throw headTooLong();
    if (head.includes(this.#delimiter)) throw boundaryInHead();
    this.#expected = 'content-start';
    this.#events.onHead(head.subarray(LINE_END.length));
    return end + HEAD_END.length;
  }

  /** Refuses a boundary directly after a head, whose line end would belong to both the head and the delimiter. */
  #readContentStart(bytes: Buffer, at: number): number {
    if (this.#mayBegin(this.#boundary, bytes, at)) {
      if (bytes.length < at + this.#boundary.length) return at;
      throw boundaryInHead();
    }
    this.#expected = 'content';
    return this.#readContent(bytes, at);
  }

  #readContent(bytes: Buffer, at: number): number {
    const found = bytes.indexOf(this.#delimiter, at);
    const end = found >= 0 ? found : this.#endOfContent(bytes, at);
    if (end > at) this.#events.onContent(bytes.subarray(at, end));
    if (found < 0) return end;
    this.#expected = 'delimiter';
    return this.#readDelimiter(bytes, end);
  }

  /** Returns the position from which on the bytes may be the beginning of a delimiter. */
  #endOfContent(bytes: Buffer, at: number): number {
    const begin = bytes.indexOf(CR, Math.max(at, bytes.length - this.#delimiter.length + 1));
    return begin < 0 ? bytes.length : begin;
  }

  /** Whether the bytes from a position on are the text, or its beginning if there are fewer bytes. */
  #mayBegin(text: Buffer, bytes: Buffer, at: number): boolean {
    if (bytes[at] !== text[0]) return false;
    const length = Math.min(text.length, bytes.length - at);
    return bytes.compare(text, 0, length, at, at + length) === 0;
  }
}

/** Creates the error for a body that is not a multipart form. */
export function malformedBody(why: string): ServiceError {
  return invalid('body', `the body must be readable multipart/form-data: ${why}`);
}

function boundaryInHead(): ServiceError {
  return malformedBody('a boundary comes inside the headers of a part');
}

function headTooLong(): ServiceError {
  return malformedBody(`the headers of a part must have at most ${MAX_HEAD_BYTES} bytes`);
}
