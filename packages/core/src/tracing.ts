/** Facts about a span. Their names follow the semantic conventions of OpenTelemetry. They never contain secrets. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

/** Ends a span. @param fault The error for which the work failed. Default: it succeeded. */
export type EndSpan = (fault?: unknown) => void;

/** The span of a request. */
export interface RequestSpan {
  /** 32 hex digits. */
  readonly traceId: string;
  /** Runs work whose spans are below this one. */
  run<T>(work: () => T): T;
  end(result: { name: string; attributes: SpanAttributes; isFailed: boolean }): void;
}

/** Records what a server does as spans of traces. Without a current span, nothing below a request or job is recorded. */
export interface Tracer {
  /**
   * Begins the span of a request. With a valid `traceparent` header it continues the trace of the caller.
   *
   * @returns `null` if requests are not traced.
   */
  beginRequest(headers: Readonly<Record<string, string | string[] | undefined>>): RequestSpan | null;
  /** Runs a job in a new trace. */
  job<T>(name: string, work: () => Promise<T>): Promise<T>;
  /** Runs a step of a request or a job in a span. */
  step<T>(name: string, work: () => Promise<T>): Promise<T>;
  /** Begins the span of a statement or another piece of work that has no steps. @returns `null` without a current span. */
  begin(name: string, attributes?: SpanAttributes): EndSpan | null;
}

/** Records nothing. */
export const UNTRACED: Tracer = {
  beginRequest: () => null,
  job: (_name, work) => work(),
  step: (_name, work) => work(),
  begin: () => null,
};
