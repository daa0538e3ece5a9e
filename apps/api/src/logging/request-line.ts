/** The fields of the log line of a request. Their order is the order in the line. */
export interface RequestEntry {
  requestId: string;
  /** The kind of host that the request names, such as `api` or `site`. */
  kind: string;
  method: string | undefined;
  host: string | undefined;
  /** The path without the query. */
  path: string;
  /** `null` if the client left before a response. */
  status: number | null;
  /** The bytes that were sent, with the head. */
  bytes: number;
  durationMs: number;
  /** The address of the client, past trusted proxies. */
  address: string;
  /** The id of the trace, if the request is traced. */
  traceId?: string;
  /** Present if the client left before the end of the response. */
  aborted?: true;
}

const ZERO = 0x30;
const POINT = 0x2e;

/** The characters of each field. None of them is escaped by JSON, and none can encode a character of a secret. */
const WORD = characters('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-');
const ID = characters('0123456789abcdef');
const HOST = characters('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.:-');
const PATH = characters("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._~!$&'()*+,;=:@/-");
const ADDRESS = characters('0123456789abcdef.:/');
const HEX_DIGITS = characters('0123456789ABCDEFabcdef');
/** Secrets have this many hex digits in a row. A shorter text cannot contain one. */
const SECRET_DIGITS = 32;
const MAX_HOST = 320;
const MAX_LABEL = 64;
const MAX_PATH = 2_049;
const MAX_OTHER = 64;
const MAX_BYTES = 2 ** 40;
const MAX_TENTHS = 2 ** 40;
/** The maximum length of a line without its prefix, host and path. */
const REST_BYTES = 640;

const KIND_NAME = Buffer.from('","kind":"');
const METHOD_NAME = Buffer.from('","method":"');
const HOST_NAME = Buffer.from('","host":"');
const PATH_NAME = Buffer.from('","path":"');
const STATUS_NAME = Buffer.from('","status":');
const BYTES_NAME = Buffer.from(',"bytes":');
const DURATION_NAME = Buffer.from(',"durationMs":');
const ADDRESS_NAME = Buffer.from(',"address":"');
const LINE_END = Buffer.from('","msg":"request"}\n');

/** An entry whose line needs no care. */
interface PlainEntry extends RequestEntry {
  method: string;
  host: string;
  status: number;
}

/** Writes the lines of plain requests as bytes. It takes a fraction of the time of the logger, and leaves no garbage. */
export class PlainRequestLine {
  readonly #prefix: string;
  #headMs = 0;
  /** The begin of all lines of a millisecond. */
  #head: Buffer = Buffer.alloc(0);

  /** @param prefix Further members for each line, after the time: JSON with a comma at its end, or nothing. */
  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  /**
   * Returns how many bytes {@link write} needs at most. `null` if a field may need to be escaped, hidden or cut: the logger
   * must then write the line. Source: security T20, T24, T38.
   */
  maxBytes(entry: RequestEntry): number | null {
    return isPlain(entry) ? REST_BYTES + this.#prefix.length + entry.host.length + entry.path.length : null;
  }

  /**
   * Writes a line into a buffer, equal to the line of the logger.
   *
   * @param entry An entry for which {@link maxBytes} returned a number.
   * @param target Has room for that many bytes after `start`.
   * @returns The end of the line.
   */
  write(entry: RequestEntry, target: Uint8Array, start: number): number {
    const { requestId, kind, method, host, path, status, bytes, durationMs, address } = entry as PlainEntry;
    let end = writeBytes(target, start, this.#currentHead());
    end = writeText(target, end, requestId);
    end = writeBytes(target, end, KIND_NAME);
    end = writeText(target, end, kind);
    end = writeBytes(target, end, METHOD_NAME);
    end = writeText(target, end, method);
    end = writeBytes(target, end, HOST_NAME);
    end = writeText(target, end, host);
    end = writeBytes(target, end, PATH_NAME);
    end = writeText(target, end, path);
    end = writeBytes(target, end, STATUS_NAME);
    end = writeInteger(target, end, status);
    end = writeBytes(target, end, BYTES_NAME);
    end = writeInteger(target, end, bytes);
    end = writeBytes(target, end, DURATION_NAME);
    end = writeTenths(target, end, tenthsOf(durationMs));
    end = writeBytes(target, end, ADDRESS_NAME);
    end = writeText(target, end, address);
    return writeBytes(target, end, LINE_END);
  }

  #currentHead(): Buffer {
    const now = Date.now();
    if (now !== this.#headMs) {
      this.#headMs = now;
      this.#head = Buffer.from(`{"level":"info","time":"${new Date(now).toISOString()}",${this.#prefix}"requestId":"`);
    }
    return this.#head;
  }
}

function isPlain(entry: RequestEntry): entry is PlainEntry {
  const { requestId, kind, method, host, path, status, bytes, durationMs, address } = entry;
  if (entry.aborted || entry.traceId !== undefined || status === null || method === undefined || host === undefined)
    return false;
  return (
    path.startsWith('/') &&
    consistsOf(path, PATH, MAX_PATH) &&
    !hasSecretDigits(path) &&
    isHostName(host) &&
    consistsOf(host, HOST, MAX_HOST) &&
    !hasSecretDigits(host) &&
    consistsOf(method, WORD, MAX_OTHER) &&
    consistsOf(kind, WORD, MAX_OTHER) &&
    consistsOf(requestId, ID, MAX_OTHER) &&
    consistsOf(address, ADDRESS, MAX_OTHER) &&
    bytes <= MAX_BYTES &&
    tenthsOf(durationMs) <= MAX_TENTHS &&
    tenthsOf(durationMs) / 10 === durationMs
  );
}

/** Whether a host has a dot or a port, or is `localhost`. Other single words could be the name of a secret header. */
function isHostName(host: string): boolean {
  const dot = host.indexOf('.');
  const labelEnd = dot < 0 ? host.indexOf(':') : dot;
  return (labelEnd > 0 && labelEnd <= MAX_LABEL) || host === 'localhost';
}

const tenthsOf = (value: number) => Math.round(value * 10);

/** Returns a table of the character codes of ASCII: 1 for each of the given characters. */
function characters(text: string): Uint8Array {
  const table = new Uint8Array(128);
  for (const byte of Buffer.from(text)) table[byte] = 1;
  return table;
}

function consistsOf(text: string, allowed: Uint8Array, maxLength: number): boolean {
  if (text.length > maxLength) return false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code > 127 || allowed[code] === 0) return false;
  }
  return true;
}

function hasSecretDigits(text: string): boolean {
  if (text.length <= SECRET_DIGITS) return false;
  let digits = 0;
  for (let i = 0; i < text.length; i++) {
    digits = HEX_DIGITS[text.charCodeAt(i)] === 1 ? digits + 1 : 0;
    if (digits === SECRET_DIGITS) return true;
  }
  return false;
}

function writeBytes(target: Uint8Array, start: number, bytes: Uint8Array): number {
  for (let i = 0; i < bytes.length; i++) target[start + i] = bytes[i]!;
  return start + bytes.length;
}

/** Writes a text of ASCII. A call of `Buffer.write` takes longer than this loop for a text of this length. */
function writeText(target: Uint8Array, start: number, text: string): number {
  for (let i = 0; i < text.length; i++) target[start + i] = text.charCodeAt(i);
  return start + text.length;
}

/** @param value Not negative. */
function writeInteger(target: Uint8Array, start: number, value: number): number {
  let digits = 1;
  for (let power = 10; power <= value; power *= 10) digits += 1;
  let rest = value;
  for (let i = start + digits - 1; i >= start; i--) {
    target[i] = ZERO + (rest % 10);
    rest = Math.floor(rest / 10);
  }
  return start + digits;
}

/** Writes a number as JSON does: with one digit after the point, unless that is zero. */
function writeTenths(target: Uint8Array, start: number, tenths: number): number {
  const end = writeInteger(target, start, Math.floor(tenths / 10));
  if (tenths % 10 === 0) return end;
  target[end] = POINT;
  target[end + 1] = ZERO + (tenths % 10);
  return end + 2;
}
