import { type Log, type Tracer, UNTRACED } from '@berth/core';
import type { Config } from '../config/config.ts';

interface TracingOptions {
  log: Log;
  /** Disposing of it sends the remaining spans. */
  resources: AsyncDisposableStack;
}

/**
 * Opens the tracer of this process. OpenTelemetry is loaded only if `OTEL_EXPORTER_OTLP_ENDPOINT` is set, so that a
 * server without traces uses neither memory nor time for it. Source: api §10.
 */
export async function openTracing({ isTraced }: Config, { log, resources }: TracingOptions): Promise<Tracer> {
  if (!isTraced) return UNTRACED;
  const { startOpenTelemetry } = await import('./opentelemetry.ts');
  const { tracer, close } = startOpenTelemetry(log);
  resources.defer(close);
  return tracer;
}
