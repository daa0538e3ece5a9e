/** The header fields of a plain request that can change its response, in lower case. */
const FIELDS = ['host', 'accept', 'accept-encoding', 'accept-language', 'if-none-match', 'x-forwarded-for'] as const;
type PlainField = Exclude<(typeof FIELDS)[number], 'host'>;
const HOST = 0;

/** The header fields that make a request more than plain. */
const NOT_PLAIN = [
  'content-length',
  'expect',
  'if-match',
  'if-range',
  'proxy-connection',
  'range',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];

const CR = 0x0d;
const LF = 0x0a;
const SPACE = 0x20;
const TAB = 0x09;
const COLON = 0x3a;
const HASH = 0x23;
const SLASH = 0x2f;
/** Makes a letter lower case. Other characters of a field name that it changes do not occur in known names. */
const LOWER = 0x20;

const IS_TOKEN = characters("!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz");
const IS_VISIBLE = codes((code) => code > SPACE && code < 0x7f);
const IS_VALUE = codes((code) => code === TAB || (code >= SPACE && code < 0x7f));
const VERSION = Buffer.from(' HTTP/1.1\r\n');
const KEEP_ALIVE = 'keep-alive';
const CLOSE = 'close';
const NO_BYTES = Buffer.alloc(0);

/** What a known header field means for the request: the index of a value to keep, or one of these. */
const REFUSED = -1;
const CONNECTION = -2;
type Meaning = number;

const MAX_KNOWN_LENGTH = 17;
/** The known names by their length. */
const KNOWN = Array.from({ length: MAX_KNOWN_LENGTH + 1 }, (): { name: Uint8Array; meaning: Meaning }[] => []);
for (const [index, name] of FIELDS.entries()) know(name, index);
for (const name of NOT_PLAIN) know(name, REFUSED);
know('connection', CONNECTION);

/**
 * A GET or HEAD without a body, whose head has arrived in one piece and has nothing unusual. Its grammar is a part of that of
 * RFC 9112, so that node:http would read the same from the same bytes: one `Host`, no repeated field that matters, only
 * printable ASCII, only CRLF. Everything else is left to node:http. An object is reused for the next request of a connection.
 */
export class PlainRequest {
  method: 'GET' | 'HEAD' = 'GET';
  /** The request target, which begins with `/` and has no fragment. */
  target = '';
  /** The value of `Host`. */
  host = '';
  /** Whether the client may send another request. */
  keepsAlive = true;
  #bytes: Buffer = NO_BYTES;
  #hasConnection = false;
  readonly #starts = new Int32Array(FIELDS.length);
  readonly #ends = new Int32Array(FIELDS.length);

  /**
   * Reads the request that begins at `start`.
   *
   * @param maxTargetBytes The maximum length of the target.
   * @param maxHeadBytes The maximum length of the head.
   * @returns Where the next request begins; -1 if this is no plain request, or not a whole one.
   */
  read(bytes: Buffer, start: number, { maxTargetBytes, maxHeadBytes }: PlainLimits): number {
    const end = Math.min(bytes.length, start + maxHeadBytes);
    const targetStart = this.#readMethod(bytes, start, end);
    if (targetStart < 0 || bytes[targetStart] !== SLASH) return -1;
    let at = targetStart;
    for (; at < end && IS_VISIBLE[bytes[at]!] === 1; at++) if (bytes[at] === HASH) return -1;
    const targetEnd = at;
    if (targetEnd - targetStart > maxTargetBytes || end - at < VERSION.length) return -1;
    for (let i = 0; i < VERSION.length; i++) if (bytes[at++] !== VERSION[i]) return -1;
    this.#bytes = bytes;
    this.#starts.fill(0);
    this.keepsAlive = true;
    this.#hasConnection = false;
    for (;;) {
      if (at + 1 >= end) return -1;
      if (bytes[at] === CR) break;
      at = this.#readField(bytes, at, end);
      if (at < 0) return -1;
    }
    if (bytes[at + 1] !== LF || this.#starts[HOST] === 0) return -1;
    this.target = bytes.toString('latin1', targetStart, targetEnd);
    this.host = bytes.toString('latin1', this.#starts[HOST], this.#ends[HOST]);
    return at + 2;
  }

  /** Returns the value of a field as node:http does; `undefined` without the field. */
  get(field: PlainField): string | undefined {
    const index = FIELDS.indexOf(field);
    const start = this.#starts[index]!;
    return start === 0 ? undefined : this.#bytes.toString('latin1', start, this.#ends[index]);
  }

  /** Releases the received bytes. The fields are then empty. */
  release(): void {
    this.#bytes = NO_BYTES;
  }

  #readMethod(bytes: Buffer, start: number, end: number): number {
    if (end - start < 5) return -1;
    const first = bytes.readUInt32BE(start);
    if (first === GET) {
      this.method = 'GET';
      return start + 4;
    }
    if (first !== HEAD || bytes[start + 4] !== SPACE) return -1;
    this.method = 'HEAD';
    return start + 5;
  }

  /** @returns Where the next line begins; -1 if the request is not plain. */
  #readField(bytes: Buffer, start: number, end: number): number {
    let at = start;
    while (at < end && IS_TOKEN[bytes[at]!] === 1) at++;
    const nameEnd = at;
    if (at === end || nameEnd === start || bytes[at] !== COLON) return -1;
    at++;
    while (at < end && (bytes[at] === SPACE || bytes[at] === TAB)) at++;
    const valueStart = at;
    while (at < end && IS_VALUE[bytes[at]!] === 1) at++;
    if (at + 1 >= end || bytes[at] !== CR || bytes[at + 1] !== LF) return -1;
    if (nameEnd - start <= MAX_KNOWN_LENGTH && !this.#keep(bytes, start, nameEnd, valueStart, at)) return -1;
    return at + 2;
  }

  /** @returns False if the field makes the request more than plain. */
  #keep(bytes: Buffer, nameStart: number, nameEnd: number, valueStart: number, lineEnd: number): boolean {
    const meaning = meaningOf(bytes, nameStart, nameEnd);
    if (meaning === undefined) return true;
    if (meaning === REFUSED) return false;
    let valueEnd = lineEnd;
    while (valueEnd > valueStart && (bytes[valueEnd - 1] === SPACE || bytes[valueEnd - 1] === TAB)) valueEnd--;
    if (meaning === CONNECTION) {
      if (this.#hasConnection) return false;
      this.#hasConnection = true;
      const option = bytes.toString('latin1', valueStart, valueEnd).toLowerCase();
      if (option === CLOSE) this.keepsAlive = false;
      return option === KEEP_ALIVE || option === CLOSE;
    }
    if (this.#starts[meaning] !== 0) return false;
    this.#starts[meaning] = valueStart;
    this.#ends[meaning] = valueEnd;
    return true;
  }
}

export interface PlainLimits {
  maxTargetBytes: number;
  maxHeadBytes: number;
}

const GET = Buffer.from('GET ').readUInt32BE();
const HEAD = Buffer.from('HEAD').readUInt32BE();

function meaningOf(bytes: Buffer, start: number, end: number): Meaning | undefined {
  for (const { name, meaning } of KNOWN[end - start]!) {
    let i = 0;
    while (i < name.length && (bytes[start + i]! | LOWER) === name[i]) i++;
    if (i === name.length) return meaning;
  }
  return undefined;
}

function know(name: string, meaning: Meaning): void {
  KNOWN[name.length]!.push({ name: Buffer.from(name), meaning });
}

/** Returns a table of the codes of bytes: 1 for each of the given characters. */
function characters(text: string): Uint8Array {
  return codes((code) => text.includes(String.fromCharCode(code)));
}

function codes(matches: (code: number) => boolean): Uint8Array {
  return Uint8Array.from({ length: 256 }, (_, code) => Number(matches(code)));
}
