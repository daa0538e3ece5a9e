import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { listen, open, stop } from '@berth/testing/raw-socket';
import { afterEach, describe, expect, it } from 'vitest';
import { countRequest, onRequestEnd } from '../../src/http/count-requests.ts';
import { createLogger } from '../../src/logging/logger.ts';
import type { LoggedRequests } from '../../src/config/config-values.ts';
import { createRequestLog, createSelection } from '../../src/logging/request-log.ts';

let server: Server;
afterEach(() => stop(server));

/** Sends a raw request to a server that responds with `respond`. @returns The log line of the request. */
async function requestAndReadLog(
  rawRequest: string,
  respond: (req: IncomingMessage, res: ServerResponse) => void,
  claimPath: string | null = null,
): Promise<Record<string, unknown> & { line: string }> {
  const { promise, resolve } = Promise.withResolvers<string>();
  const requestLog = createRequestLog(createLogger({ level: 'info', destination: { write: resolve } }), { claimPath });
  server = createServer((req, res) => {
    countRequest(res);
    onRequestEnd(res, requestLog.follow({ req, res, requestId: 'r1', kind: 'api', address: '203.0.113.9' }));
    respond(req, res);
  });
  const { socket } = await open(await listen(server));
  socket.write(rawRequest);
  const line = await promise;
  socket.destroy();
  return { ...JSON.parse(line), line };
}

const respondOk = (_req: IncomingMessage, res: ServerResponse) => void res.end('hello');

describe('the request log', () => {
  it('T38: contains one line with method, host, path, status, bytes, duration and address', async () => {
    const { line, ...entry } = await requestAndReadLog(
      'POST /deployments HTTP/1.1\r\nHost: localhost:4000\r\nContent-Length: 0\r\n\r\n',
      (_req, res) => {
        res.statusCode = 201;
        res.end('x'.repeat(5_000));
      },
    );
    expect(entry).toEqual({
      level: 'info',
      time: expect.any(String),
      requestId: 'r1',
      kind: 'api',
      method: 'POST',
      host: 'localhost:4000',
      path: '/deployments',
      status: 201,
      bytes: expect.any(Number),
      durationMs: expect.any(Number),
      address: '203.0.113.9',
      msg: 'request',
    });
    expect(entry['bytes']).toBeGreaterThan(5_000);
    expect(entry['bytes']).toBeLessThan(5_500);
    expect(entry['durationMs']).toBeGreaterThanOrEqual(0);
    expect(line.endsWith('}\n')).toBe(true);
  });

  const HASH = '8f1c6bd0a94e2735cc58f0471e9b3d62';
  it.each([
    [null, '/a/b?token=marker#marker', '/a/b'],
    [null, '/?', '/'],
    [null, 'http://jo:marker@example.com/a?b=marker', '/a'],
    [null, `/claim/${HASH}?x`, '/claim/[hidden]'],
    [null, '/a%0d%0ab', '/a%0d%0ab'],
    [null, `/tokens/%73hip-${HASH}`, '/tokens/ship-[hidden]'],
    [null, '/claim/x', '/claim/x'],
    ['/claim', `/claim/${HASH}`, '/claim/[hidden]'],
    ['/claim', `/claim/${HASH}.`, '/claim/[hidden]'],
    ['/claim', `/claim/${HASH.slice(1)}`, '/claim/[hidden]'],
    ['/claim', `/claim/${HASH}/`, '/claim/[hidden]'],
    ['/claim', '/claim', '/claim'],
    ['/claim', '/claims/8f1c6bd0', '/claims/8f1c6bd0'],
    ['/a/b', '/a/b/8f1c6bd0/c', '/a/b/[hidden]'],
    ['', `/${HASH}x`, '/[hidden]'],
    ['', '/deployments', '/deployments'],
  ])('T24, T38: with the claim page below %j, shows the target %s as %s', async (claimPath, target, path) => {
    const entry = await requestAndReadLog(`GET ${target} HTTP/1.1\r\nHost: x\r\n\r\n`, respondOk, claimPath);
    expect(entry['path']).toBe(path);
    expect(entry.line).not.toContain('marker');
  });

  it('contains the whole path, even if a router removed a part of it', async () => {
    const entry = await requestAndReadLog('GET /api/ping HTTP/1.1\r\nHost: x\r\n\r\n', (req, res) => {
      Object.assign(req, { originalUrl: '/api/ping?marker', url: '/ping' });
      res.end();
    });
    expect(entry['path']).toBe('/api/ping');
  });

  it('T20: contains no header except Host', async () => {
    const names = ['Authorization', 'Cookie', 'Referer', 'User-Agent', 'X-Forwarded-For', 'X-Anything'];
    const headers = names.map((name) => `${name}: Bearer ship-8f1c6bd0a94e2735cc58f0471e9b3d62 marker\r\n`).join('');
    const { line } = await requestAndReadLog(`GET / HTTP/1.1\r\nHost: x\r\n${headers}\r\n`, respondOk);
    expect(line).not.toMatch(/marker|8f1c6bd0|ship/);
  });

  it('marks requests whose client left early, with null as the status if none was sent', async () => {
    const entry = await requestAndReadLog('GET / HTTP/1.1\r\nHost: x\r\n\r\n', (req) => void req.socket.destroy());
    expect(entry).toMatchObject({ status: null, aborted: true, bytes: 0 });
  });
});

describe('LOG_REQUESTS', () => {
  const page = { kind: 'site', method: 'GET', status: 200, durationMs: 5 };
  const requests = {
    page,
    missing: { ...page, status: 404 },
    unlock: { ...page, method: 'POST', status: 303 },
    failed: { ...page, status: 503 },
    slow: { ...page, durationMs: 1_001 },
    left: { ...page, status: null },
    read: { ...page, kind: 'api' },
    changed: { ...page, kind: 'api', method: 'DELETE' },
  };
  const everyRequest = Object.keys(requests);
  const rest = { requestId: 'r1', host: 'x', path: '/', bytes: 1, address: '' };
  const selectedBy = (logged: LoggedRequests) => {
    const isLogged = createSelection(logged);
    return everyRequest.filter((name) => isLogged({ ...rest, ...requests[name as 'page'] }));
  };

  it.each([
    ['all', everyRequest],
    ['off', []],
    ['errors', ['failed', 'slow', 'changed']],
    ['api', ['failed', 'slow', 'read', 'changed']],
  ] as const)('api §10: %s selects %j', (which, expected) => {
    expect(selectedBy({ which })).toEqual(expected);
  });

  it('api §10: sample:3 selects one of three, and all failed and slow requests and changes', () => {
    expect(selectedBy({ which: 'sample', every: 3 })).toEqual(['unlock', 'failed', 'slow', 'changed']);
    expect(selectedBy({ which: 'sample', every: 1 })).toEqual(everyRequest);
  });
});
