import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { counters, family, gauge, histogram, type HistogramSeries, type Series } from '@berth/core/metrics';

/** Which host a request names: the API, a site, no known host, or none because the request is malformed. */
export type HostKind = (typeof HOST_KINDS)[number];
const HOST_KINDS = ['api', 'site', 'unknown', 'invalid'] as const;

/** Methods by their effect. Other methods, which are `_OTHER`, are refused everywhere except for `OPTIONS`. */
const METHOD_CLASSES = ['read', 'write', '_OTHER'] as const;
type MethodClass = (typeof METHOD_CLASSES)[number];

const addRequests = family('counter', {
  name: 'http_server_requests_total',
  help: 'Requests by the host that they name, the class of their method, and status. No status if the client left before.',
});
const addDurations = histogram(
  {
    name: 'http_server_request_duration_seconds',
    help: 'Time from the head of a request until its response was handed to the system. Event streams are left out.',
  },
  [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
);
const sentBytes = counters(
  { name: 'http_server_sent_bytes_total', help: 'Bytes sent in responses, including their heads.' },
  'berth_host_kind',
  HOST_KINDS,
);
/** The requests that have no complete response yet. */
export const activeRequests = gauge({
  name: 'http_server_active_requests',
  help: 'Requests that have no complete response yet.',
});

/** The open connections of clients. */
export const openSockets = gauge({ name: 'berth_sockets_open', help: 'Open connections of clients.' });
/** The connections that were closed at once, by the limit that was reached. */
export const refusedSockets = counters(
  { name: 'berth_sockets_refused_total', help: 'Connections that were closed at once because of a limit.' },
  'limit',
  ['total', 'address'],
);

const MAX_STATUS = 600;
/** By kind of host, class of method and status. The array has no holes, because V8 reads sparse arrays slowly. */
const requests = Array.from<Series | undefined>({ length: HOST_KINDS.length * METHOD_CLASSES.length * MAX_STATUS });
const durations = Array.from<HistogramSeries | undefined>({ length: HOST_KINDS.length * METHOD_CLASSES.length });
// Without these series, the share of errors would be unknown until the first error.
for (const kind of ['api', 'site'] as const) for (const status of [200, 500, 503]) requestsOf(kind, 'read', status);

const START = Symbol('start of the request');
const KIND = Symbol('kind of host');
const HAS_DURATION = Symbol('whether the duration is counted');
const LISTENER = Symbol('listener for the end');
const COUNTED_BYTES = Symbol('counted bytes');

/**
 * @param durationMs Milliseconds from the head of the request until the response was handed to the system.
 * @param bytes The bytes of the response, with its head.
 */
type EndListener = (durationMs: number, bytes: number) => void;

interface CountedResponse extends ServerResponse {
  [START]?: number;
  /** `null` for a request that is left out of the metrics. */
  [KIND]?: HostKind | null;
  [HAS_DURATION]?: false;
  [LISTENER]?: EndListener;
}
type CountedSocket = Socket & { [COUNTED_BYTES]?: number };

/** Measures a request, and counts it once its response has closed. */
export function countRequest(res: CountedResponse): void {
  activeRequests.value += 1;
  res[START] = performance.now();
  res[KIND] = 'invalid';
  res.on('close', countResponse);
}

/** Sets the kind of host of a counted request. Until then it is `invalid`. */
export function setHostKind(res: CountedResponse, kind: HostKind): void {
  res[KIND] = kind;
}

/** Leaves a request out of the metrics: probes are frequent, and a probe of a server that is not ready is no failed request. */
export function leaveOut(res: CountedResponse): void {
  res[KIND] = null;
}

/** Leaves the duration of a response out of the metrics, because it says nothing about the server. */
export function ignoreDuration(res: CountedResponse): void {
  res[HAS_DURATION] = false;
}

/** Calls a function once the response of a counted request has closed. A request has one such function at most. */
export function onRequestEnd(res: CountedResponse, listener: EndListener): void {
  res[LISTENER] = listener;
}

/**
 * Counts a read of a site that has ended.
 *
 * @param status 0 if no response was sent.
 * @param bytes The bytes of the response, with its head.
 * @param durationMs Milliseconds from the head of the request until the response was handed to the system.
 */
export function countSiteRead(status: number, bytes: number, durationMs: number): void {
  requestsOf('site', 'read', status).value += 1;
  sentBytes.site.value += bytes;
  durationsOf('site', 'read').observe(durationMs / 1000);
}

/** Leaves out the bytes that a connection has sent so far: they are those of responses that are counted otherwise. */
export function skipSentBytes(socket: CountedSocket): void {
  socket[COUNTED_BYTES] = socket.bytesWritten;
}

/** Counts a request that could not be parsed. */
export function countUnparsed(status: number): void {
  requestsOf('invalid', '_OTHER', status).value += 1;
}

function countResponse(this: CountedResponse): void {
  const { method = '', socket } = this.req as IncomingMessage & { socket: CountedSocket };
  const durationMs = performance.now() - this[START]!;
  // The socket may have sent several responses.
  const bytesWritten = socket.bytesWritten;
  const bytes = bytesWritten - (socket[COUNTED_BYTES] ?? 0);
  socket[COUNTED_BYTES] = bytesWritten;
  activeRequests.value -= 1;
  this[LISTENER]?.(durationMs, bytes);
  const kind = this[KIND] ?? null;
  if (kind === null) return;
  const methodClass = classOf(method);
  requestsOf(kind, methodClass, this.headersSent ? this.statusCode : 0).value += 1;
  sentBytes[kind].value += bytes;
  if (kind !== 'unknown' && kind !== 'invalid' && this[HAS_DURATION] !== false)
    durationsOf(kind, methodClass).observe(durationMs / 1000);
}

/** @param status 0 if no response was sent. */
function requestsOf(kind: HostKind, methodClass: MethodClass, status: number): Series {
  const index = (HOST_KINDS.indexOf(kind) * METHOD_CLASSES.length + METHOD_CLASSES.indexOf(methodClass)) * MAX_STATUS;
  return (requests[index + status] ??= addRequests({
    berth_host_kind: kind,
    berth_method_class: methodClass,
    http_response_status_code: status === 0 ? '' : String(status),
  }));
}

function durationsOf(kind: HostKind, methodClass: MethodClass): HistogramSeries {
  const index = HOST_KINDS.indexOf(kind) * METHOD_CLASSES.length + METHOD_CLASSES.indexOf(methodClass);
  return (durations[index] ??= addDurations({ berth_host_kind: kind, berth_method_class: methodClass }));
}

function classOf(method: string): MethodClass {
  switch (method) {
    case 'GET':
    case 'HEAD':
      return 'read';
    case 'POST':
    case 'PUT':
    case 'PATCH':
    case 'DELETE':
      return 'write';
    default:
      return '_OTHER';
  }
}
