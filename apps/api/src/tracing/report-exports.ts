import type { Log } from '@berth/core';
import { ExportResultCode } from '@opentelemetry/core';
import type { SpanExporter } from '@opentelemetry/sdk-trace';

/** Makes an exporter log once when spans can no longer be sent, and once when they can be sent again. */
export function reportExports(exporter: SpanExporter, log: Log): SpanExporter {
  let isFailing = false;
  return {
    export(spans, report) {
      exporter.export(spans, (result) => {
        const hasFailed = result.code !== ExportResultCode.SUCCESS;
        if (hasFailed && !isFailing)
          log.warn(
            { reason: result.error?.message },
            'Traces cannot be sent to OTEL_EXPORTER_OTLP_ENDPOINT and are lost until they can',
          );
        if (!hasFailed && isFailing) log.info({}, 'Traces are sent again');
        isFailing = hasFailed;
        report(result);
      });
    },
    forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve(),
    shutdown: () => exporter.shutdown(),
  };
}
