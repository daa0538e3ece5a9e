import { characters, consistsOf, writeBytes, writeInteger, writeText } from './line-bytes.ts';
import type { RequestEntry } from './request-entry.ts';

/** The characters of each field. None of them is escaped by JSON, and none can encode a character of a secret. */
const WORD = characters('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-');
const HOST = characters('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.:-');
const PATH = characters("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._~!$&'()*+,;=:@/-");
const HEX_DIGITS = characters('0123456789ABCDEFabcdef');
/** Secrets have this many hex digits in a row. A shorter text cannot contain one. */
const SECRET_DIGITS = 32;
const MAX_HOST = 320;
const MAX_LABEL = 64;
const MAX_PATH = 2_049;
const MAX_WORD = 64;
const MAX_BYTES = 2 ** 40;
/** The maximum length of the names and numbers. */
const REST_BYTES = 128;

/** The middles of this many lines are kept. A power of two. */
const KEPT_MIDDLES = 256;
const MAX_KEPT_BYTES = 512;

const KIND_NAME = Buffer.from('","kind":"');
const METHOD_NAME = Buffer.from('","method":"');
const HOST_NAME = Buffer.from('","host":"');
const PATH_NAME = Buffer.from('","path":"');
const STATUS_NAME = Buffer.from('","status":');
const BYTES_NAME = Buffer.from(',"bytes":');
const DURATION_NAME = Buffer.from(',"durationMs":');

type MiddleFields = Pick<RequestEntry, 'kind' | 'path' | 'bytes'> & { method: string; host: string; status: number };

/** A middle whose fields were checked, as bytes. */
interface Middle extends MiddleFields {
  text: Uint8Array;
}

/**
 * Writes the middle of the lines of requests, from `kind` to the name of the duration. Requests for the same page have the same one:
 * the checked middles of recent lines are kept.
 */
export class LineMiddle {
  readonly #middles = Array.from<Middle | undefined>({ length: KEPT_MIDDLES });
  readonly #keptBytes = new Uint8Array(KEPT_MIDDLES * MAX_KEPT_BYTES);

  /** Returns how many bytes {@link write} needs at most. */
  maxBytes({ kind, method = '', host = '', path }: RequestEntry): number {
    return kind.length + method.length + host.length + path.length + REST_BYTES;
  }

  /** Writes the middle of a line. @returns The end; -1 if a field may need to be escaped, hidden or cut. */
  write(entry: RequestEntry, target: Uint8Array, start: number): number {
    const slot = slotOf(entry);
    const kept = this.#middles[slot];
    if (kept !== undefined && isMiddleOf(kept, entry)) {
      target.set(kept.text, start);
      return start + kept.text.length;
    }
    if (!isPlain(entry)) return -1;
    const { kind, method, host, path, status, bytes } = entry;
    let end = writeText(target, writeBytes(target, start, KIND_NAME), kind);
    end = writeText(target, writeBytes(target, end, METHOD_NAME), method);
    end = writeText(target, writeBytes(target, end, HOST_NAME), host);
    end = writeText(target, writeBytes(target, end, PATH_NAME), path);
    end = writeInteger(target, writeBytes(target, end, STATUS_NAME), status);
    end = writeInteger(target, writeBytes(target, end, BYTES_NAME), bytes);
    end = writeBytes(target, end, DURATION_NAME);
    if (end - start <= MAX_KEPT_BYTES) {
      const text = this.#keptBytes.subarray(slot * MAX_KEPT_BYTES, slot * MAX_KEPT_BYTES + end - start);
      for (let i = 0; i < text.length; i++) text[i] = target[start + i]!;
      this.#middles[slot] = { kind, method, host, path, status, bytes, text };
    }
    return end;
  }
}

/** Returns the place of the middle of a line. Different pages usually have different places. */
function slotOf({ host = '', path, bytes }: RequestEntry): number {
  const { length } = path;
  return (
    (host.charCodeAt(0) * 31 +
      host.charCodeAt(host.length >> 2) * 17 +
      path.charCodeAt(length >> 1) * 13 +
      path.charCodeAt(length - 1) * 7 +
      length +
      bytes) &
    (KEPT_MIDDLES - 1)
  );
}

function isMiddleOf(middle: MiddleFields, entry: RequestEntry): boolean {
  return (
    middle.path === entry.path &&
    middle.host === entry.host &&
    middle.bytes === entry.bytes &&
    middle.status === entry.status &&
    middle.method === entry.method &&
    middle.kind === entry.kind
  );
}

function isPlain(entry: RequestEntry): entry is RequestEntry & MiddleFields {
  const { kind, method, host, path, status, bytes } = entry;
  return (
    status !== null &&
    method !== undefined &&
    host !== undefined &&
    path.startsWith('/') &&
    consistsOf(path, PATH, MAX_PATH) &&
    !hasSecretDigits(path) &&
    isHostName(host) &&
    consistsOf(host, HOST, MAX_HOST) &&
    !hasSecretDigits(host) &&
    consistsOf(method, WORD, MAX_WORD) &&
    consistsOf(kind, WORD, MAX_WORD) &&
    bytes <= MAX_BYTES
  );
}

/** Whether a host has a dot or a port, or is `localhost`. Other single words could be the name of a secret header. */
function isHostName(host: string): boolean {
  const dot = host.indexOf('.');
  const labelEnd = dot < 0 ? host.indexOf(':') : dot;
  return (labelEnd > 0 && labelEnd <= MAX_LABEL) || host === 'localhost';
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
