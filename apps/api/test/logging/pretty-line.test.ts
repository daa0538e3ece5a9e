import { describe, expect, it } from 'vitest';
import { createLogger } from '../../src/logging/logger.ts';
import { createPrettyFormat } from '../../src/logging/pretty-line.ts';

const TIME = '2026-11-23T12:00:01.500Z';
const LOCAL_TIME = new Date(TIME).toTimeString().slice(0, 8);
const REQUEST = {
  level: 'info',
  time: TIME,
  requestId: 'r1',
  kind: 'site',
  method: 'GET',
  host: 'blog.localhost:4000',
  path: '/index.html',
  status: 200,
  bytes: 1_234,
  durationMs: 3.6,
  address: '203.0.113.9',
  msg: 'request',
};
const pretty = createPrettyFormat(false);
const format = (entry: object) => pretty(JSON.stringify(entry));

describe('a log line for people', () => {
  it('is short for a request', () => {
    expect(format(REQUEST)).toBe(`${LOCAL_TIME} GET 200 4ms 1.2kB blog.localhost:4000/index.html\n`);
  });

  it.each([
    [{ bytes: 0 }, ' 0B '],
    [{ bytes: 999 }, ' 999B '],
    [{ bytes: 123_456 }, ' 123kB '],
    [{ bytes: 5_000_000_000 }, ' 5GB '],
    [{ durationMs: 0 }, ' 0ms '],
    [{ durationMs: 12_400 }, ' 12s '],
    [{ status: null, aborted: true }, 'GET --- 4ms 1.2kB blog.localhost:4000/index.html aborted\n'],
  ])('shows %j of a request as %s', (fields, expected) => {
    expect(format({ ...REQUEST, ...fields })).toContain(expected);
  });

  it('has the level, the message and the fields of anything else', () => {
    expect(format({ level: 'warn', time: TIME, job: 'check domains', afterMs: 12, msg: 'A job was slow' })).toBe(
      `${LOCAL_TIME} WARN  A job was slow job="check domains" afterMs=12\n`,
    );
  });

  it('has the stack of an error below it', () => {
    const err = { type: 'Error', message: 'no', stack: 'Error: no\n    at work (file.ts:1:2)', code: 'E1' };
    expect(format({ level: 'error', time: TIME, err, msg: 'It failed' })).toBe(
      `${LOCAL_TIME} ERROR It failed\n    Error: no\n        at work (file.ts:1:2)\n    {"code":"E1"}\n`,
    );
  });

  it('T38: contains no control characters, wherever they are logged', () => {
    let written = '';
    const destination = { write: (text: string) => void (written += text) };
    const log = createLogger({ level: 'info', format: 'pretty', destination });
    const hostile = 'a\r\n\u001b[31mb\u009bc\u202ed\u2028e';
    log.error({ [hostile]: hostile, list: [hostile], err: new Error(hostile) }, hostile);
    // oxlint-disable-next-line no-control-regex -- the log must not contain these characters
    const controls = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/;
    expect(written.replaceAll('\n', '')).not.toMatch(controls);
    expect(written.split('\n').filter((line) => /^\d\d:/.test(line))).toHaveLength(1);
  });

  it('has colours only if they are wanted', () => {
    expect(createPrettyFormat(true)(JSON.stringify(REQUEST))).toContain('\u001b[32m200\u001b[39m');
    expect(format(REQUEST)).not.toContain('\u001b');
  });
});
