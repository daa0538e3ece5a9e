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

/** A request that has ended. */
export interface EndedRequest {
  entry: RequestEntry;
  /** When it ended, in milliseconds since 1970. */
  endedMs: number;
}
