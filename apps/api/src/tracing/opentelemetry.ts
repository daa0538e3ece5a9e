import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Log, RequestSpan, SpanAttributes, Tracer } from '@berth/core';
import {
  type Context,
  defaultTextMapGetter,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { VERSION } from '../version.ts';
import { reportExports } from './report-exports.ts';
import { batchOptions, readSampler } from './standard-variables.ts';

/** How long the end of a process waits until the remaining spans are sent. */
const CLOSE_TIMEOUT_MS = 2_000;

/**
 * Starts OpenTelemetry for this process, with the standard `OTEL_*` variables. Spans are sent in the background as
 * OTLP/HTTP with JSON. While the collector cannot be reached, a bounded number of spans waits, and the others are lost.
 *
 * @returns The tracer, and a function that sends the remaining spans, for at most two seconds.
 */
export function startOpenTelemetry(log: Log): { tracer: Tracer; close(): Promise<void> } {
  const exporter = reportExports(new OTLPTraceExporter(), log);
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': 'berth', 'service.version': VERSION }).merge(
      detectResources({ detectors: [envDetector] }),
    ),
    sampler: readSampler(process.env, log),
    spanProcessors: [new BatchSpanProcessor({ exporter, ...batchOptions(process.env) })],
  });
  return {
    tracer: createTracer(provider),
    close: () =>
      Promise.race([provider.shutdown().catch(() => {}), sleep(CLOSE_TIMEOUT_MS, undefined, { ref: false })]),
  };
}

function createTracer(provider: TracerProvider): Tracer {
  const tracer = provider.getTracer('berth', VERSION);
  const propagator = new W3CTraceContextPropagator();
  const current = new AsyncLocalStorage<Context>();

  /** Runs work in a span, which it ends. */
  async function runIn<T>(span: Span, parent: Context, work: () => Promise<T>): Promise<T> {
    try {
      const result = await current.run(trace.setSpan(parent, span), work);
      span.end();
      return result;
    } catch (error) {
      endFailed(span, error);
      throw error;
    }
  }

  return {
    beginRequest(headers) {
      const parent = propagator.extract(ROOT_CONTEXT, headers, defaultTextMapGetter);
      const span = tracer.startSpan('request', { kind: SpanKind.SERVER }, parent);
      return requestSpan(span, (work) => current.run(trace.setSpan(parent, span), work));
    },
    job: (name, work) =>
      runIn(tracer.startSpan(`job ${name}`, { attributes: { 'berth.job': name } }, ROOT_CONTEXT), ROOT_CONTEXT, work),
    step(name, work) {
      const parent = current.getStore();
      return parent ? runIn(tracer.startSpan(name, {}, parent), parent, work) : work();
    },
    begin(name, attributes: SpanAttributes = {}) {
      const parent = current.getStore();
      if (!parent) return null;
      const kind = attributes['db.system.name'] === undefined ? SpanKind.INTERNAL : SpanKind.CLIENT;
      const span = tracer.startSpan(name, { kind, attributes }, parent);
      return (fault) => (fault === undefined ? span.end() : endFailed(span, fault));
    },
  };
}

function requestSpan(span: Span, run: RequestSpan['run']): RequestSpan {
  return {
    traceId: span.spanContext().traceId,
    run,
    end({ name, attributes, isFailed }) {
      span.updateName(name).setAttributes(attributes);
      if (isFailed) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    },
  };
}

/** Ends a span with the kind of its error. The message may contain what a user has sent, so it is only in the log. */
function endFailed(span: Span, error: unknown): void {
  const { code, name } = Object(error) as { code?: unknown; name?: string };
  span.setAttribute('error.type', typeof code === 'string' ? code : (name ?? 'Error'));
  span.setStatus({ code: SpanStatusCode.ERROR });
  span.end();
}
