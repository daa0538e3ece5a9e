import { describe, expect, it } from 'vitest';
import { batchOptions, readSampler } from '../../src/tracing/standard-variables.ts';

/** Returns the description of the sampler, and the warnings. */
function samplerOf(sampler?: string, argument?: string) {
  const warnings: string[] = [];
  const log = { info() {}, warn: (_: object, message: string) => void warnings.push(message), error() {} };
  const env = { OTEL_TRACES_SAMPLER: sampler, OTEL_TRACES_SAMPLER_ARG: argument };
  return { sampler: readSampler(env, log).toString(), warnings };
}

describe('the standard variables of OpenTelemetry', () => {
  it.each([
    [undefined, undefined, /^ParentBased.*AlwaysOnSampler/],
    ['', '', /^ParentBased.*AlwaysOnSampler/],
    ['always_on', undefined, /^AlwaysOnSampler/],
    ['always_off', undefined, /^AlwaysOffSampler/],
    ['traceidratio', '0.25', /^TraceIdRatioBased\{0.25\}/],
    ['traceidratio', undefined, /^TraceIdRatioBased\{1\}/],
    ['parentbased_always_on', undefined, /^ParentBased.*AlwaysOnSampler/],
    ['parentbased_always_off', undefined, /^ParentBased\{root=AlwaysOffSampler/],
    ['parentbased_traceidratio', '0', /^ParentBased\{root=TraceIdRatioBased\{0\}/],
  ])('OTEL_TRACES_SAMPLER=%s and OTEL_TRACES_SAMPLER_ARG=%s select a sampler', (name, argument, expected) => {
    expect(samplerOf(name, argument)).toEqual({ sampler: expect.stringMatching(expected), warnings: [] });
  });

  it.each([
    ['sometimes', undefined, /^ParentBased.*AlwaysOnSampler/, 'OTEL_TRACES_SAMPLER is not a known sampler'],
    ['traceidratio', '2', /^TraceIdRatioBased\{1\}/, 'OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1'],
  ])('OTEL_TRACES_SAMPLER=%s with %s is logged and counts as absent', (name, argument, expected, warning) => {
    expect(samplerOf(name, argument)).toEqual({
      sampler: expect.stringMatching(expected),
      warnings: [expect.stringContaining(warning)],
    });
  });

  it('OTEL_BSP_* change the queue, unless they are invalid', () => {
    expect(batchOptions({})).toEqual({});
    expect(batchOptions({ OTEL_BSP_SCHEDULE_DELAY: '20', OTEL_BSP_MAX_QUEUE_SIZE: 'x' })).toEqual({
      scheduledDelayMillis: 20,
    });
  });
});
