import { once } from 'node:events';
import type { Server } from 'node:http';
import { listen, open, parse, rawRequest, send, sendWithoutReading, stop } from '@berth/testing/raw-socket';
import { afterEach, describe, expect, it } from 'vitest';
import { parseTrustedProxies } from '../../src/http/client-address.ts';
import { createHttpServer, type Handler, type HttpLimits } from '../../src/http/server.ts';
import { requestIdOf } from '../../src/http/request-id.ts';

const REQUEST_ID = /^[0-9a-f]{32}$/;
const errors: object[] = [];
const log = { info() {}, warn() {}, error: (fields: object) => void errors.push(fields) };
const servers: Server[] = [];

/** Starts a server that trusts the given proxies. @returns The port of the server. */
async function startServer(
  handler: Handler,
  limits: Partial<HttpLimits> = {},
  trusted: string[] = [],
): Promise<number> {
  errors.length = 0;
  const server = createHttpServer(handler, { log, limits, trustedProxies: parseTrustedProxies(trusted) });
  servers.push(server);
  return listen(server);
}

afterEach(async () => {
  await Promise.all(servers.splice(0).map(stop));
});

const respondOk: Handler = (_req, res) => void res.end('ok');
const respondHalf: Handler = (_req, res) => void res.writeHead(200, { 'Content-Length': 10 }).write('half ');

/** Checks what all error responses have in common. @returns The parsed error body. */
function errorOf(text: string): { error: string; status: number } {
  const { status, headers, body } = parse(text);
  const error = JSON.parse(body);
  expect(error.status).toBe(status);
  expect(error.message).toMatch(/\.$/);
  expect(headers).toMatchObject({
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    connection: 'close',
  });
  expect(headers['x-request-id']).toMatch(REQUEST_ID);
  return error;
}

describe('the HTTP server', () => {
  it('api §2: gives every request its own id', async () => {
    const port = await startServer((_req, res) => void res.end(requestIdOf(res)));
    const ids = [(await rawRequest(port, 'GET / HTTP/1.1')).body, (await rawRequest(port, 'GET / HTTP/1.1')).body];
    expect(ids[0]).toMatch(REQUEST_ID);
    expect(ids[1]).toMatch(REQUEST_ID);
    expect(ids[0]).not.toBe(ids[1]);
  });

  it.each(['websocket', 'h2c'])(
    'closes the connection after a request that asks for an upgrade to %s, so that no later request is lost',
    async (protocol) => {
      const port = await startServer((req, res) => void res.end(req.url));
      const upgrade = `GET /first HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: ${protocol}\r\n\r\n`;
      const text = await send(port, `${upgrade}GET /second HTTP/1.1\r\nHost: a\r\n\r\n`);
      // The closed connection shows the client that the second request was not read.
      expect(parse(text)).toMatchObject({ status: 200, headers: { connection: 'close' }, body: '/first' });
    },
  );

  const targetOf = (length: number) =>
    `GET /${'x'.repeat(length - 1)} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`;
  const TWO_LENGTHS = 'GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n';
  const TWO_FRAMINGS = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n';
  it.each([
    ['bytes that are not HTTP', 400, 'validation_failed', 'nonsense\r\n\r\n'],
    ['a target that is not a path', 400, 'validation_failed', 'GET foo HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['a target that is not ASCII', 400, 'validation_failed', 'GET /\xc3\xa9 HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['a space after the name of a header', 400, 'validation_failed', 'GET / HTTP/1.1\r\nHost : a\r\n\r\n'],
    ['two lengths', 400, 'validation_failed', TWO_LENGTHS],
    ['a length and chunks', 400, 'validation_failed', TWO_FRAMINGS],
    ['an unknown version', 400, 'validation_failed', 'GET / HTTP/9.9\r\nHost: a\r\n\r\n'],
    ['the preface of HTTP/2', 400, 'validation_failed', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['the start of TLS', 400, 'validation_failed', '\x16\x03\x01\x02\x00\x01\x00'],
    ['headers over 16 KiB', 431, 'headers_too_large', `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(17_000)}\r\n\r\n`],
    ['a target of 8,193 bytes', 414, 'uri_too_long', targetOf(8_193)],
    ['a target of 12,000 bytes', 414, 'uri_too_long', targetOf(12_000)],
    ['a target of 20,000 bytes', 414, 'uri_too_long', targetOf(20_000)],
    ['headers that are not complete in time', 408, 'request_timeout', 'GET / HTTP/1.1\r\nHost: a\r\nX-Slow: '],
  ])('T5: refuses %s with %d %s', async (_, status, error, bytes) => {
    const port = await startServer(respondOk, { headersTimeoutMs: 100, checkingIntervalMs: 20 });
    expect(errorOf(await send(port, bytes))).toMatchObject({ error, status });
  });

  it('T5: sends a 400 that reaches a client that sends many bytes before it reads', async () => {
    const port = await startServer(respondOk);
    const text = await sendWithoutReading(await open(port), `nonsense\r\n\r\n${'x'.repeat(4_000_000)}`);
    expect(errorOf(text)).toMatchObject({ status: 400 });
  });

  it('accepts a request target of 8192 bytes', async () => {
    const port = await startServer(respondOk);
    expect(parse(await send(port, targetOf(8_192))).status).toBe(200);
  });

  it('T5: closes a connection that never sends anything, without a response', async () => {
    const port = await startServer(respondOk, { headersTimeoutMs: 100, checkingIntervalMs: 20 });
    expect(await send(port, '')).toBe('');
  });

  it('T5: closes a connection without traffic', async () => {
    const port = await startServer(respondHalf, { idleTimeoutMs: 100 });
    expect(await send(port, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n')).toMatch(/half $/);
  });
});

describe('the HTTP server', () => {
  it('F9: forwards a request without a Host, and a request with several', async () => {
    const port = await startServer((req, res) => void res.end(JSON.stringify(req.rawHeaders)));
    expect(JSON.parse(parse(await send(port, 'GET / HTTP/1.0\r\n\r\n')).body)).toEqual([]);
    expect(JSON.parse(parse(await send(port, 'GET / HTTP/1.1\r\nConnection: close\r\n\r\n')).body)).toEqual([
      'Connection',
      'close',
    ]);
    const manyHeaders = `GET / HTTP/1.1\r\nHost: a\r\n${'X:\r\n'.repeat(2500)}Host: b\r\nConnection: close\r\n\r\n`;
    const headers: string[] = JSON.parse(parse(await send(port, manyHeaders)).body);
    expect(headers.filter((_, index) => headers[index - 1] === 'Host' && index % 2 === 1)).toEqual(['a', 'b']);
  });

  it('forwards a request with an unknown value of Expect', async () => {
    const port = await startServer(respondOk);
    expect((await rawRequest(port, 'GET / HTTP/1.1', ['Host: a', 'Expect: wonders'])).body).toBe('ok');
  });

  it('closes the connection of a CONNECT without a response', async () => {
    const port = await startServer(respondOk);
    expect(await send(port, 'CONNECT a.example:443 HTTP/1.1\r\nHost: a.example\r\n\r\n')).toBe('');
  });
});

describe('an HTTP handler that fails', () => {
  it.each(['at once', 'later'])('F7: fails only its own request, %s, without revealing the cause', async (moment) => {
    const port = await startServer(async (req, res) => {
      if (req.url === '/good') return void res.end('ok');
      if (moment === 'later') await new Promise(setImmediate);
      throw new Error('secret cause');
    });
    const failedResponse = await rawRequest(port, 'GET /bad HTTP/1.1');
    expect(failedResponse.status).toBe(500);
    expect(failedResponse.body).not.toContain('secret');
    expect(JSON.parse(failedResponse.body)).toMatchObject({
      error: 'internal_server_error',
      details: { requestId: failedResponse.headers['x-request-id'] },
    });
    expect(errors).toMatchObject([
      { err: { message: 'secret cause' }, requestId: failedResponse.headers['x-request-id'] },
    ]);
    expect((await rawRequest(port, 'GET /good HTTP/1.1')).body).toBe('ok');
  });

  it('closes the connection if its response has begun', async () => {
    const port = await startServer(async (_req, res) => {
      await new Promise((written) => void res.writeHead(200, { 'Content-Length': 10 }).write('half ', written));
      throw new Error('too late');
    });
    expect((await rawRequest(port, 'GET / HTTP/1.1')).body).toBe('half ');
  });
});

describe('if a client sends several requests on one connection,', () => {
  it.each([
    ['second request', 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['body', 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n'],
  ])('T8: the error of a malformed %s is not sent inside a response that has begun', async (_, firstBytes) => {
    const { socket, received } = await open(await startServer(respondHalf));
    socket.write(firstBytes);
    await once(socket, 'data');
    socket.write('nonsense\r\n\r\n');
    expect(await received).toMatch(/\r\n\r\nhalf $/);
  });

  it('the error of a later malformed request is never sent in place of an earlier response', async () => {
    const port = await startServer(() => {});
    const { socket, received } = await open(port);
    socket.write('GET /first HTTP/1.1\r\nHost: a\r\n\r\nGET /second HTTP/1.1\r\nHost: a\r\n\r\nnonsense\r\n\r\n');
    expect(await received).toBe('');
  });

  it('T8: a malformed body of the first request is refused', async () => {
    const port = await startServer((req) => void req.on('error', () => {}).resume());
    const bytes = 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nnonsense\r\n';
    expect(errorOf(await send(port, bytes))).toMatchObject({ error: 'validation_failed', status: 400 });
  });

  it('a malformed second request is refused after the first response', async () => {
    const port = await startServer(respondOk);
    const { socket, received } = await open(port);
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    await once(socket, 'data');
    socket.write('nonsense\r\n\r\n');
    expect((await received).split('HTTP/1.1 400 Bad Request')).toHaveLength(2);
  });
});

it('T5: many slow clients do not slow down a normal request, and all get a 408', async () => {
  const port = await startServer((req, res) => void (req.method === 'GET' ? res.end('ok') : req.resume()), {
    headersTimeoutMs: 5_000,
    checkingIntervalMs: 100,
    body: {
      timeoutMs: 5_000,
      upload: { windowMs: 1, minBytesPerSecond: 1, timeoutMs: 1 },
      rest: { maxBytes: 1, pauseMs: 0, timeoutMs: 100 },
    },
  });
  const lines = ['GET / HTTP/1.1\r\nHost: a\r\nX-Slow', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nx'];
  const connections = await Promise.all(
    Array.from({ length: 600 }, async (_, index) => {
      const connection = await open(port);
      connection.socket.write(lines[index % 2]!);
      return connection;
    }),
  );
  let areSlowClientsClosed = false;
  const slowResponses = Promise.all(connections.map(({ received }) => received));
  void slowResponses.then(() => (areSlowClientsClosed = true));
  for (let n = 0; n < 20; n += 1) expect((await rawRequest(port, 'GET / HTTP/1.1')).body).toBe('ok');
  expect(areSlowClientsClosed).toBe(false);
  expect(new Set((await slowResponses).map((text) => errorOf(text).status))).toEqual(new Set([408]));
});

describe('T5: the maximum number of connections', () => {
  it('of one address closes further connections until an earlier one has closed', async () => {
    const port = await startServer(respondOk, { maxSocketsPerAddress: 2 });
    const [first] = [await open(port), await open(port)];
    expect(await (await open(port)).received).toBe('');
    expect(await (await open(port)).received).toBe('');

    first.socket.destroy();
    await expect.poll(async () => (await rawRequest(port, 'GET / HTTP/1.1')).body).toBe('ok');
  });

  it('in total closes further connections', async () => {
    const port = await startServer(respondOk, { maxSockets: 2 });
    await Promise.all([open(port), open(port)]);
    expect(await (await open(port)).received).toBe('');
  });

  it('of one address does not apply to a trusted proxy', async () => {
    const port = await startServer(respondOk, { maxSocketsPerAddress: 1 }, ['127.0.0.0/8']);
    await Promise.all([open(port), open(port), open(port)]);
    expect((await rawRequest(port, 'GET / HTTP/1.1')).body).toBe('ok');
  });
});

const REQUEST = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n';

/** Sends a request on a connection that stays open. @returns The response; empty if the connection was closed. */
async function requestOn({ socket, received }: Awaited<ReturnType<typeof open>>): Promise<string> {
  const response = once(socket, 'data').then(([bytes]) => String(bytes));
  socket.write(REQUEST);
  return Promise.race([response, received.then(() => '')]);
}

describe('scale B11: an idle connection', () => {
  it('of a client stays open for 5 s, and one of a trusted proxy for 75 s, longer than proxies keep it', async () => {
    for (const [trusted, seconds] of [
      [[], 5],
      [['127.0.0.1'], 75],
    ] as const) {
      const connection = await open(await startServer(respondOk, {}, [...trusted]));
      for (let n = 0; n < 2; n += 1)
        expect(await requestOn(connection)).toMatch(`\r\nKeep-Alive: timeout=${seconds}\r\n`);
    }
  });

  it('of a trusted proxy still accepts requests after connections of clients have been closed', async () => {
    const limits = { keepAliveTimeoutMs: 50, proxyKeepAliveTimeoutMs: 60_000 };
    const client = await open(await startServer(respondOk, limits, ['10.0.0.1']));
    const proxy = await open(await startServer(respondOk, limits, ['127.0.0.0/8']));
    await requestOn(proxy);
    await requestOn(client);
    await client.received;
    expect(await requestOn(proxy)).toContain('HTTP/1.1 200');
    const secondClient = await open(await startServer(respondOk, limits, ['10.0.0.1']));
    await requestOn(secondClient);
    await secondClient.received;
    expect(await requestOn(proxy)).toContain('HTTP/1.1 200');
  });

  it('of a trusted proxy is closed after its timeout', async () => {
    const proxy = await open(
      await startServer(respondOk, { keepAliveTimeoutMs: 50, proxyKeepAliveTimeoutMs: 100 }, ['127.0.0.0/8']),
    );
    await requestOn(proxy);
    expect(await proxy.received).toContain('Keep-Alive: timeout=0');
  });

  it('is closed if a proxy requests it', async () => {
    const { socket, received } = await open(await startServer(respondOk, {}, ['127.0.0.0/8']));
    socket.write(REQUEST.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'));
    expect(await received).not.toContain('Keep-Alive');
  });
});
