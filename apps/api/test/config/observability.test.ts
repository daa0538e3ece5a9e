import { describe, expect, it } from 'vitest';
import { readConfig } from '../../src/config/config.ts';

describe('the settings of the log and of traces', () => {
  it.each([
    ['LOG_FORMAT', 'Pretty', { logFormat: 'pretty' }],
    ['LOG_FORMAT', 'json', { logFormat: 'json' }],
    ['LOG_REQUESTS', 'OFF', { logRequests: { which: 'off' } }],
    ['LOG_REQUESTS', 'errors', { logRequests: { which: 'errors' } }],
    ['LOG_REQUESTS', 'api', { logRequests: { which: 'api' } }],
    ['LOG_REQUESTS', 'sample:100', { logRequests: { which: 'sample', every: 100 } }],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'http://collector:4318', { isTraced: true }],
  ])('api §10: %s=%s is accepted', (variable, text, expected) => {
    expect(readConfig({ [variable]: text })).toMatchObject(expected);
  });

  it.each([
    ['LOG_FORMAT', 'xml', /LOG_FORMAT: "xml" is not a format; use "pretty" for people or "json" for programs\.$/],
    [
      'LOG_REQUESTS',
      'some',
      /LOG_REQUESTS: "some" does not say which requests are logged; use off, errors, api, all, or/,
    ],
    [
      'LOG_REQUESTS',
      'sample:0',
      /LOG_REQUESTS: "sample:0" .* "sample:100" for one of 100, with a number from 1 to 1000000/,
    ],
    ['LOG_REQUESTS', 'sample:1.5', /LOG_REQUESTS: "sample:1.5"/],
    ['LOG_REQUESTS', 'sample:1000001', /LOG_REQUESTS: "sample:1000001"/],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4317', /OTEL_EXPORTER_OTLP_ENDPOINT: .* is not an http or https URL/],
  ])('api §10: %s=%s is rejected with what would be valid', (variable, text, message) => {
    expect(() => readConfig({ [variable]: text })).toThrow(message);
  });

  it('OTEL_SDK_DISABLED turns traces off', () => {
    const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' };
    expect(readConfig({ ...endpoint, OTEL_SDK_DISABLED: 'TRUE' }).isTraced).toBe(false);
    expect(readConfig({ ...endpoint, OTEL_SDK_DISABLED: 'false' }).isTraced).toBe(true);
    expect(readConfig({ OTEL_SDK_DISABLED: 'false' }).isTraced).toBe(false);
  });
});
