import type { Log } from '@berth/core';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  type BatchSpanProcessorOptions,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Creates the sampler of `OTEL_TRACES_SAMPLER` and `OTEL_TRACES_SAMPLER_ARG`. As the standard requires, an unknown value
 * is logged and counts as absent. Default: all traces, unless the caller does not sample its trace.
 * Source: https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/.
 */
export function readSampler(env: Environment, log: Log): Sampler {
  const [, parentBased, kind = 'always_on'] =
    /^(parentbased_)?(always_on|always_off|traceidratio)$/.exec(
      env['OTEL_TRACES_SAMPLER'] || 'parentbased_always_on',
    ) ?? [];
  const root = rootSampler(kind, env, log);
  if (kind === 'always_on' && parentBased === undefined && env['OTEL_TRACES_SAMPLER'] !== 'always_on') {
    log.warn({}, 'OTEL_TRACES_SAMPLER is not a known sampler; all traces are sent');
    return new ParentBasedSampler({ root });
  }
  return parentBased === undefined ? root : new ParentBasedSampler({ root });
}

function rootSampler(kind: string, env: Environment, log: Log): Sampler {
  if (kind === 'always_on') return new AlwaysOnSampler();
  if (kind === 'always_off') return new AlwaysOffSampler();
  const ratio = Number(env['OTEL_TRACES_SAMPLER_ARG'] || 1);
  if (ratio >= 0 && ratio <= 1) return new TraceIdRatioBasedSampler(ratio);
  log.warn({}, 'OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1; all traces are sent');
  return new TraceIdRatioBasedSampler(1);
}

/** Reads the `OTEL_BSP_*` variables, in milliseconds and spans. A variable that is not a positive number is ignored. */
export function batchOptions(env: Environment): Omit<BatchSpanProcessorOptions, 'exporter'> {
  const options = {
    scheduledDelayMillis: Number(env['OTEL_BSP_SCHEDULE_DELAY']),
    exportTimeoutMillis: Number(env['OTEL_BSP_EXPORT_TIMEOUT']),
    maxQueueSize: Number(env['OTEL_BSP_MAX_QUEUE_SIZE']),
    maxExportBatchSize: Number(env['OTEL_BSP_MAX_EXPORT_BATCH_SIZE']),
  };
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value > 0));
}
