import { characters, writeBytes, writeChecked, writeTenths } from './line-bytes.ts';
import { LineHead } from './line-head.ts';
import { LineMiddle } from './line-middle.ts';
import type { EndedRequest } from './request-entry.ts';

/** The characters of the fields outside the middle. JSON escapes none of them. */
const ID = characters('0123456789abcdef');
const ADDRESS = characters('0123456789abcdef.:/');
const MAX_TEXT = 64;
const MAX_TENTHS = 2 ** 40;
/** The maximum length of the duration and the names around it. */
const REST_BYTES = 64;

const ADDRESS_NAME = Buffer.from(',"address":"');
const LINE_END = Buffer.from('","msg":"request"}\n');

/** Writes the lines of plain requests as bytes. It takes a fraction of the time of the logger, and leaves no garbage. */
export class PlainRequestLine {
  readonly #head: LineHead;
  readonly #middle = new LineMiddle();

  /** @param prefix Further members for each line, after the time: JSON with a comma at its end, or nothing. */
  constructor(prefix: string) {
    this.#head = new LineHead(prefix);
  }

  /** Returns how many bytes {@link write} needs at most. */
  maxBytes({ entry }: EndedRequest): number {
    return (
      this.#head.length + entry.requestId.length + this.#middle.maxBytes(entry) + entry.address.length + REST_BYTES
    );
  }

  /**
   * Writes a line into a buffer, equal to the line of the logger.
   *
   * @param target Has room for {@link maxBytes} after `start`. Bytes after the returned end are undefined.
   * @returns The end of the line. -1 if a field may need to be escaped, hidden or cut: the logger must then write the line.
   *   Source: security T20, T24, T38.
   */
  write({ entry, endedMs }: EndedRequest, target: Uint8Array, start: number): number {
    const { requestId, durationMs, address } = entry;
    const tenths = Math.round(durationMs * 10);
    if (entry.aborted || entry.traceId !== undefined || tenths > MAX_TENTHS || tenths / 10 !== durationMs) return -1;
    if (requestId.length > MAX_TEXT || address.length > MAX_TEXT) return -1;
    let end = writeChecked(target, this.#head.write(endedMs, target, start), requestId, ID);
    if (end >= 0) end = this.#middle.write(entry, target, end);
    if (end < 0) return -1;
    end = writeBytes(target, writeTenths(target, end, tenths), ADDRESS_NAME);
    end = writeChecked(target, end, address, ADDRESS);
    return end < 0 ? -1 : writeBytes(target, end, LINE_END);
  }
}
