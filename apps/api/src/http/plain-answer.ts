import type { Socket } from 'node:net';

/** A whole response that is in memory. */
export interface PlainAnswer {
  status: number;
  /** The text of a `ResponseHead`. */
  head: string;
  /** The bytes of the body; `null` for a response without a body. */
  body: Buffer | null;
}

const ID_PLACE = '0'.repeat(32);
const DATE_PLACE = 'Thu, 01 Jan 1970 00:00:00 GMT';
const HEAD_START = 'X-Request-Id: ';
const DATE_START = `${HEAD_START}${ID_PLACE}\r\nDate: `;
const DATE_AT = DATE_START.length;
const SECOND_MS = 1_000;
/** Smaller bodies are copied beside their head: one write of one buffer takes less time than a write of two. */
const MAX_COPIED_BYTES = 16 * 1024;
/** Heads are much shorter: a site may add 8 KiB. */
const MAX_HEAD_BYTES = 32 * 1024;
const MAX_END_BYTES = 512;
const BUFFER_BYTES = MAX_HEAD_BYTES + MAX_END_BYTES + MAX_COPIED_BYTES;

/** Writes whole responses to connections, each in one system call if the system takes it at once. */
export class AnswerWriter {
  readonly #keepAliveEnd: Buffer;
  readonly #closeEnd = endOf('Connection: close');
  #nextDateMs = -Infinity;
  #buffer = Buffer.allocUnsafeSlow(BUFFER_BYTES);

  /** @param keepAliveSeconds How long a connection is kept open for the next request. */
  constructor(keepAliveSeconds: number) {
    this.#keepAliveEnd = endOf(`Connection: keep-alive\r\nKeep-Alive: timeout=${keepAliveSeconds}`);
  }

  /**
   * Writes a response.
   *
   * @param requestId 32 hex digits.
   * @param keepsAlive Whether the connection is kept open.
   * @param nowMs The time, as of `performance.now()`.
   * @returns The length of the response in bytes.
   */
  write(socket: Socket, answer: PlainAnswer, requestId: string, keepsAlive: boolean, nowMs: number): number {
    const { body } = answer;
    const buffer = this.#buffer;
    if (nowMs >= this.#nextDateMs) this.#setDate(nowMs);
    let length = buffer.write(answer.head, 0, MAX_HEAD_BYTES, 'latin1');
    const end = keepsAlive ? this.#keepAliveEnd : this.#closeEnd;
    buffer.set(end, length);
    for (let i = 0, at = length + HEAD_START.length; i < ID_PLACE.length; i++) buffer[at + i] = requestId.charCodeAt(i);
    length += end.length;
    if (body === null) socket.write(buffer.subarray(0, length));
    else if (body.length <= MAX_COPIED_BYTES) {
      buffer.set(body, length);
      length += body.length;
      socket.write(buffer.subarray(0, length));
    } else {
      socket.cork();
      socket.write(buffer.subarray(0, length));
      socket.write(body);
      socket.uncork();
      length += body.length;
    }
    // Bytes that wait to be written must not change.
    if (socket.writableLength > 0) this.#buffer = Buffer.allocUnsafeSlow(BUFFER_BYTES);
    return length;
  }

  #setDate(nowMs: number): void {
    const now = Date.now();
    const date = new Date(now).toUTCString();
    for (const end of [this.#keepAliveEnd, this.#closeEnd]) end.write(date, DATE_AT, 'latin1');
    this.#nextDateMs = nowMs + SECOND_MS - (now % SECOND_MS);
  }
}

/** Returns the end of a head: the fields that differ for each response, then others. */
function endOf(fields: string): Buffer {
  return Buffer.from(`${DATE_START}${DATE_PLACE}\r\n${fields}\r\n\r\n`);
}
