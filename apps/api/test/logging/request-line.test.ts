import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { LINE_BYTES } from '../../src/logging/clean-line.ts';
import { createLogger } from '../../src/logging/logger.ts';
import type { RequestEntry } from '../../src/logging/request-entry.ts';
import { PlainRequestLine } from '../../src/logging/request-line.ts';

const HEX_DIGITS = '8f1c6bd0a94e2735cc58f0471e9b3d62';
const PLAIN: RequestEntry = {
  requestId: HEX_DIGITS,
  kind: 'site',
  method: 'GET',
  host: 'blog.localhost:4000',
  path: '/assets/app.8f1c6bd0.js',
  status: 200,
  bytes: 4_321,
  durationMs: 0.4,
  address: '203.0.113.9',
};

/** Writes the line with the logger alone. */
function carefulLine(entry: RequestEntry, worker?: number): string {
  let written = '';
  const destination = { write: (text: string) => void (written += text) };
  createLogger({ level: 'info', worker, destination }).info(entry, 'request');
  return written;
}

/** Writes the line as bytes, not at the begin of a buffer. @returns `null` if the line is left to the logger. */
function plainLine(
  entry: RequestEntry,
  prefix = '',
  format = new PlainRequestLine(prefix),
  endedMs = Date.now(),
): string | null {
  const buffer = Buffer.alloc(format.maxBytes({ entry, endedMs }) + 3);
  const end = format.write({ entry, endedMs }, buffer, 3);
  if (end < 0) return null;
  expect(end).toBeLessThanOrEqual(buffer.length);
  return buffer.toString('utf8', 3, end);
}

const withoutTime = (line: string) => line.replace(/"time":"[^"]*"/, '"time":""');

const secret = fc.constantFrom(
  `ship-${HEX_DIGITS}`,
  `deploy-${HEX_DIGITS}`,
  `/claim/${HEX_DIGITS}`,
  `/${HEX_DIGITS.toUpperCase()}`,
  `%2F${HEX_DIGITS}`,
  `%73hip-${HEX_DIGITS}`,
);
const hostileText = fc.constantFrom(
  '"',
  '\\',
  '\n',
  '\u001b[31m',
  '\u202e',
  '\u007f',
  'é',
  '😀',
  '%2e',
  '?',
  ' ',
  '{',
  '"}\n{"',
);
const plainText = fc.stringMatching(/^[a-z0-9./-]{0,20}$/);
const anyText = fc
  .array(fc.oneof({ weight: 6, arbitrary: plainText }, secret, hostileText, fc.string({ unit: 'binary' })), {
    maxLength: 4,
  })
  .map((texts) => texts.join(''));
const plainEntry: fc.Arbitrary<RequestEntry> = fc
  .record({
    requestId: fc.stringMatching(/^[0-9a-f]{32}$/),
    kind: fc.constantFrom('api', 'site', 'unknown', 'invalid'),
    method: fc.constantFrom('GET', 'HEAD', 'POST', 'M-SEARCH'),
    host: fc.constantFrom('localhost', 'blog.localhost:4000', '127.0.0.1:80', 'a-b.example.com'),
    path: fc.stringMatching(/^\/[A-Za-z0-9._~@:/-]{0,60}$/),
    status: fc.integer({ min: 100, max: 599 }),
    bytes: fc.oneof({ weight: 9, arbitrary: fc.nat() }, fc.maxSafeNat()),
    durationMs: fc.oneof(
      { weight: 9, arbitrary: fc.nat(100_000).map((tenths) => tenths / 10) },
      fc.double({ min: 0, max: 1e12, noNaN: true }),
    ),
    address: fc.oneof(fc.ipV4(), fc.constantFrom('', '2001:db8:0:1::/64')),
  })
  .map((fields) => ({ ...PLAIN, ...fields }));
/** One field, or two, with anything. */
const hostileFields: fc.Arbitrary<Partial<RequestEntry>> = fc
  .record({
    requestId: anyText,
    kind: anyText,
    method: fc.option(anyText, { nil: undefined }),
    host: fc.oneof(fc.constantFrom('cookie', 'authorization', '[::1]', undefined), anyText),
    path: fc.oneof(
      anyText.map((text) => `/${text}`),
      anyText,
      fc.nat(5_000).map((length) => `/${'x'.repeat(length)}`),
    ),
    status: fc.constant(null),
    address: anyText,
    traceId: fc.stringMatching(/^[0-9a-f]{32}$/),
    aborted: fc.constant(true as const),
  })
  .chain((fields) =>
    fc.subarray(Object.keys(fields), { minLength: 1, maxLength: 2 }).map((names) => {
      const chosen = Object.entries(fields).filter(([name]) => names.includes(name));
      return Object.fromEntries(chosen) as Partial<RequestEntry>;
    }),
  );
const anyEntry = fc
  .tuple(plainEntry, fc.option(hostileFields, { freq: 4 }))
  .map(([entry, fields]) => ({ ...entry, ...fields }));

afterEach(() => void vi.useRealTimers());

describe('PlainRequestLine', () => {
  it('T38: gives the same line as the logger for a plain request', () => {
    const line = plainLine(PLAIN);
    expect(line).not.toBeNull();
    expect(withoutTime(line!)).toBe(withoutTime(carefulLine(PLAIN)));
    expect(withoutTime(plainLine(PLAIN, '"worker":2,')!)).toBe(withoutTime(carefulLine(PLAIN, 2)));
    const { time } = JSON.parse(line!);
    expect(new Date(time).toISOString()).toBe(time);
    expect(Math.abs(Date.parse(time) - Date.now())).toBeLessThan(60_000);
  });

  it('T20, T24, T38: for any request, either gives the line of the logger or leaves the line to the logger', () => {
    let plainCount = 0;
    let carefulCount = 0;
    fc.assert(
      fc.property(anyEntry, (entry) => {
        const line = plainLine(entry);
        if (line === null) carefulCount += 1;
        else {
          plainCount += 1;
          expect(withoutTime(line)).toBe(withoutTime(carefulLine(entry)));
          expect(line.replace(entry.requestId, '').toLowerCase()).not.toContain(HEX_DIGITS);
          expect(Buffer.byteLength(line)).toBeLessThanOrEqual(LINE_BYTES);
        }
      }),
      { numRuns: 800 },
    );
    expect(plainCount).toBeGreaterThan(80);
    expect(carefulCount).toBeGreaterThan(80);
  });

  it('T38: gives the line of the logger when the same and similar requests follow each other', () => {
    const requests = fc.record({
      kind: fc.constantFrom('site', 'api'),
      method: fc.constantFrom('GET', 'HEAD'),
      host: fc.constantFrom('a.example.com', 'a.example.org', undefined),
      path: fc.constantFrom('/', '/a/b', '/a/c', `/${'x'.repeat(600)}`, `/ship-${HEX_DIGITS}`, '/"'),
      status: fc.constantFrom(200, 304, null),
      bytes: fc.constantFrom(7, 7 + 256, 7 + 512, 1_000),
    });
    let plainCount = 0;
    fc.assert(
      fc.property(fc.array(requests, { minLength: 2, maxLength: 12 }), (list) => {
        const format = new PlainRequestLine('');
        for (const fields of list) {
          const entry = { ...PLAIN, ...fields };
          const line = plainLine(entry, '', format);
          expect(line === null).toBe(plainLine(entry) === null);
          if (line === null) continue;
          plainCount += 1;
          expect(withoutTime(line)).toBe(withoutTime(carefulLine(entry)));
        }
      }),
      { numRuns: 60 },
    );
    expect(plainCount).toBeGreaterThan(50);
  });

  it('has the time of its request, also when the clock is set back', () => {
    const format = new PlainRequestLine('');
    for (const time of [
      '2026-11-27T12:00:00.000Z',
      '2026-11-27T12:00:00.009Z',
      '2026-11-27T12:00:00.987Z',
      '2026-11-27T12:00:00.120Z',
      '2026-11-27T12:00:00.999Z',
      '2026-11-27T12:00:01.000Z',
      '2026-11-27T12:00:01.045Z',
      '2026-12-31T23:59:59.999Z',
      '2026-11-27T12:00:01.045Z',
    ]) {
      expect(JSON.parse(plainLine(PLAIN, '', format, Date.parse(time))!).time).toBe(time);
    }
  });

  it('has the time at which its request ended, and keeps its place among other lines', () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    let written = '';
    const log = createLogger({ level: 'info', destination: { write: (text) => void (written += text) } });
    const times = ['2026-11-27T12:00:00.001Z', '2026-11-27T12:00:00.045Z', '2026-11-27T12:00:00.100Z'];
    vi.setSystemTime(times[0]!);
    log.request(PLAIN);
    vi.setSystemTime(times[1]!);
    log.request({ ...PLAIN, path: '/left to the logger "' });
    vi.setSystemTime(times[2]!);
    log.warn({}, 'other');
    const lines = written
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { time: string; msg: string });
    expect(lines.map(({ time }) => time)).toEqual(times);
    expect(lines.map(({ msg }) => msg)).toEqual(['request', 'request', 'other']);
  });

  it.each([
    ['a credential in the path', { path: `/tokens/ship-${HEX_DIGITS}` }],
    ['a claim hash in the path', { path: `/claim/${HEX_DIGITS}` }],
    ['a credential in the host', { host: `deploy-${HEX_DIGITS}.localhost` }],
    ['percent-encoding, which may hide a secret', { path: '/%73hip' }],
    ['the name of a secret header as the host', { host: 'cookie' }],
    ['a quote', { path: '/a"b' }],
    ['a line feed', { path: '/a\nb' }],
    ['a bidirectional control', { path: '/a\u202eb' }],
    ['a long path', { path: `/${'x'.repeat(3_000)}` }],
    ['a trace', { traceId: HEX_DIGITS }],
  ])('leaves a request with %s to the logger', (_, fields) => {
    expect(plainLine({ ...PLAIN, ...fields })).toBeNull();
  });
});

describe('the lines of requests', () => {
  it.each(['json', 'pretty'] as const)(
    'T20: contain no secret and keep their order among other lines, as %s',
    async (format) => {
      let written = '';
      const destination = { write: (text: string) => void (written += text) };
      const log = createLogger({ level: 'info', format, destination });
      log.request({ ...PLAIN, path: '/first' });
      log.request({ ...PLAIN, path: `/second/ship-${HEX_DIGITS}` });
      log.warn({}, 'third');
      log.request({ ...PLAIN, path: '/fourth' });
      await log.flush();
      expect(written.match(/first|second|third|fourth/g)).toEqual(['first', 'second', 'third', 'fourth']);
      expect(written).not.toContain(`ship-${HEX_DIGITS}`);
      expect(written.split('\n')).toHaveLength(5);
    },
  );
});
