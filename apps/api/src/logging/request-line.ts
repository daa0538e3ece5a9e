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

const PLAIN_WORD = /^[A-Za-z-]{1,32}$/;
const PLAIN_ID = /^[0-9a-f]{1,64}$/;
/** A name with a dot or a port, or `localhost`. Other single words could be the name of a secret header. */
const PLAIN_HOST = /^(?:[A-Za-z0-9-]{1,64}(?=[.:])|localhost)[A-Za-z0-9.:-]{0,255}$/;
const PLAIN_ADDRESS = /^[0-9a-f.:/]{0,48}$/;
/** A path that JSON does not escape and that cannot contain an encoded character of a secret. */
const PLAIN_PATH = /^\/[A-Za-z0-9._~!$&'()*+,;=:@/-]{0,2048}$/;
/** Secrets have 32 hex digits in a row. A shorter text cannot contain one. */
const SECRET_DIGITS = 32;
const HAS_SECRET_DIGITS = /[0-9A-Fa-f]{32}/;

let lastMs = 0;
let lastTime = '';

/**
 * Formats the line of a request in a fraction of the time of the logger. Its fields are tested one by one.
 *
 * @param prefix Further members for the line, after the time: JSON with a comma at its end, or nothing.
 * @returns `null` if a field may need to be escaped, hidden or cut. The logger must then write the line. Otherwise the
 *   line, which is equal to the line of the logger. Source: security T20, T24, T38.
 */
export function formatPlainRequest(entry: RequestEntry, prefix: string): string | null {
  const { requestId, kind, method, host, path, status, bytes, durationMs, address } = entry;
  if (entry.aborted || entry.traceId !== undefined || status === null || method === undefined || host === undefined)
    return null;
  const isPlain =
    PLAIN_PATH.test(path) &&
    PLAIN_HOST.test(host) &&
    PLAIN_WORD.test(method) &&
    PLAIN_WORD.test(kind) &&
    PLAIN_ID.test(requestId) &&
    PLAIN_ADDRESS.test(address);
  if (!isPlain) return null;
  if (path.length > SECRET_DIGITS && HAS_SECRET_DIGITS.test(path)) return null;
  if (host.length > SECRET_DIGITS && HAS_SECRET_DIGITS.test(host)) return null;
  return `{"level":"info","time":"${isoTime()}",${prefix}"requestId":"${requestId}","kind":"${kind}","method":"${method}","host":"${host}","path":"${path}","status":${status},"bytes":${bytes},"durationMs":${durationMs},"address":"${address}","msg":"request"}\n`;
}

/** Returns the current time. Formats each millisecond only once. */
function isoTime(): string {
  const now = Date.now();
  if (now !== lastMs) {
    lastMs = now;
    lastTime = new Date(now).toISOString();
  }
  return lastTime;
}
