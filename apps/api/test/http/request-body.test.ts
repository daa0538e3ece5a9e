import { EventEmitter, once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { constants, PerformanceObserver } from 'node:perf_hooks';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { BODY_LIMITS, type BodyLimits, watchUpload } from '../../src/http/request-body.ts';
import { boundMemory } from '../../src/memory.ts';
import {
  listen,
  open,
  parse,
  rawRequest,
  type RawResponse,
  send,
  sendWithoutReading,
  stop,
} from '@berth/testing/raw-socket';
import { createHttpServer, type Handler } from '../../src/http/server.ts';
import { withFakeTimers } from './fake-timers.ts';

const log = { info() {}, warn() {}, error() {} };
let server: Server;

async function startServer(handler: Handler, body: Partial<BodyLimits> = {}): Promise<number> {
  server = createHttpServer(handler, { log, limits: { body: { ...BODY_LIMITS, ...body } } });
  return listen(server);
}

afterEach(() => stop(server));

/** Responds with the number of received bytes once the body is complete. */
async function countBytes(req: IncomingMessage, res: ServerResponse): Promise<void> {
  let bytes = 0;
  req.on('data', (chunk: Buffer) => (bytes += chunk.length)).on('error', () => {});
  await once(req, 'end');
  res.end(String(bytes));
}

const POST = 'POST / HTTP/1.1\r\nHost: a\r\n';

/** Sends a head, and then a piece of the body every 10 ms until the connection is closed. */
async function sendSlowly(port: number, head: string, piece: string): Promise<RawResponse> {
  const { socket, received } = await open(port);
  socket.write(head);
  const sendTimer = setInterval(() => socket.write(piece), 10);
  return parse(await received.finally(() => clearInterval(sendTimer)));
}

describe('T5: a body that is not an upload', () => {
  it('is refused with 408 if it is not complete in time', async () => {
    const port = await startServer((req) => void req.resume(), { timeoutMs: 50 });
    const response = parse(await send(port, `${POST}Content-Length: 10\r\n\r\nhalf `));
    expect(response.status).toBe(408);
    expect(JSON.parse(response.body)).toMatchObject({ error: 'request_timeout', status: 408 });
    expect(response.headers['x-request-id']).toBeDefined();
  });

  it('is refused with 408 if it never ends', async () => {
    const port = await startServer((req) => void req.resume(), { timeoutMs: 100 });
    const { status } = await sendSlowly(port, `${POST}Transfer-Encoding: chunked\r\n\r\n`, '1\r\nx\r\n');
    expect(status).toBe(408);
  });

  it('closes the connection without a 408 if the response has begun', async () => {
    const port = await startServer(
      (req, res) => void (req.resume(), res.writeHead(200, { 'Content-Length': 10 }).write('half ')),
      { timeoutMs: 50 },
    );
    expect(parse(await send(port, `${POST}Content-Length: 10\r\n\r\nhalf `)).body).toBe('half ');
  });

  it('does not limit the time of the response once the body is complete', async () => {
    const port = await startServer(
      async (req, res) => {
        req.resume();
        await once(req, 'end');
        setTimeout(() => res.end('late'), 100);
      },
      { timeoutMs: 30 },
    );
    expect((await rawRequest(port, 'POST / HTTP/1.1', ['Host: a', 'Content-Length: 4'], 'body')).body).toBe('late');
  });

  it('can be read at any speed once it is complete', async () => {
    const port = await startServer((req, res) => void setTimeout(() => countBytes(req, res), 100), { timeoutMs: 30 });
    expect((await rawRequest(port, 'POST / HTTP/1.1', ['Host: a', 'Content-Length: 4'], 'body')).body).toBe('4');
  });
});

describe('T5, F10: an upload', () => {
  const limits = { windowMs: 100, minBytesPerSecond: 1000, timeoutMs: 60_000 };
  const receiveUpload =
    (upload = limits): Handler =>
    (req, res) => {
      watchUpload(req, res, upload);
      return countBytes(req, res);
    };

  /** Returns a handler that accepts an upload, but reads the body only after `readOn` was called. */
  function createSlowHandler(): { requestBegun: Promise<IncomingMessage>; readOn(): void; receiveLater: Handler } {
    const requestBegun = Promise.withResolvers<IncomingMessage>();
    const readingAllowed = Promise.withResolvers<void>();
    return {
      requestBegun: requestBegun.promise,
      readOn: readingAllowed.resolve,
      async receiveLater(req, res) {
        watchUpload(req, res, limits);
        requestBegun.resolve(req);
        await readingAllowed.promise;
        return countBytes(req, res);
      },
    };
  }

  it('may take longer than other bodies as long as it keeps the minimum rate', async () => {
    await withFakeTimers(async () => {
      const port = await startServer(receiveUpload(), { timeoutMs: 50 });
      const request = once(server, 'request');
      const { socket, received } = await open(port);
      socket.write(`${POST}Connection: close\r\nContent-Length: 2000\r\n\r\n`);
      const [{ socket: connection }] = (await request) as [IncomingMessage];
      for (let sentBytes = 100; sentBytes <= 2000; sentBytes += 100) {
        const expectedBytes = connection.bytesRead + 100;
        socket.write('x'.repeat(100));
        await expect.poll(() => connection.bytesRead, { interval: 1 }).toBeGreaterThanOrEqual(expectedBytes);
        vi.advanceTimersByTime(limits.windowMs);
      }
      expect(parse(await received).body).toBe('2000');
    });
  });

  it('is refused with 408 if it is too slow', async () => {
    const port = await startServer(receiveUpload());
    const { status } = await sendSlowly(port, `${POST}Content-Length: 20000\r\n\r\n${'x'.repeat(5000)}`, 'x');
    expect(status).toBe(408);
  });

  it('is refused with 408 if it takes too long in total', async () => {
    const port = await startServer(receiveUpload({ ...limits, windowMs: 10_000, timeoutMs: 150 }));
    const piece = `3e8\r\n${'x'.repeat(1000)}\r\n`;
    const { body } = await sendSlowly(port, `${POST}Transfer-Encoding: chunked\r\n\r\n`, piece);
    expect(JSON.parse(body)).toMatchObject({ status: 408, message: 'The upload took too long.' });
  });

  it('is not refused while the server does not read', async () => {
    await withFakeTimers(async () => {
      const { requestBegun: begun, readOn, receiveLater } = createSlowHandler();
      const port = await startServer(receiveLater);
      const { socket, received } = await open(port);
      socket.write(`${POST}Connection: close\r\nContent-Length: 1000000\r\n\r\n${'x'.repeat(1_000_000)}`);
      await begun;
      vi.advanceTimersByTime(5 * limits.windowMs);
      readOn();
      expect(parse(await received).body).toBe('1000000');
    });
  });

  it('has a full time window to send data after the server has resumed reading', async () => {
    await withFakeTimers(async () => {
      const { requestBegun: begun, readOn, receiveLater } = createSlowHandler();
      const port = await startServer(receiveLater);
      const { socket, received } = await open(port);
      socket.write(`${POST}Content-Length: 2000\r\n\r\n${'x'.repeat(1000)}`);
      const req = await begun;
      await expect.poll(() => req.readableLength).toBe(1000);
      vi.advanceTimersByTime(2 * limits.windowMs);
      readOn();
      await expect.poll(() => req.readableLength).toBe(0);
      vi.advanceTimersByTime(limits.windowMs);
      expect(req.socket.writableLength + req.socket.bytesWritten).toBe(0);
      vi.advanceTimersByTime(limits.windowMs);
      expect(parse(await received).status).toBe(408);
    });
  });
});

describe('T4, T8: a response before the end of the body', () => {
  const refuseAtOnce: Handler = (_req, res) => void res.writeHead(413).end('too large');

  const body = `Content-Length: 4000000\r\n\r\n${'x'.repeat(4_000_000)}`;

  it('reaches a client that sends everything before it reads, and closes the connection if requested', async () => {
    const port = await startServer(refuseAtOnce);
    expect(await sendWithoutReading(await open(port), `${POST}Connection: close\r\n${body}`)).toContain('too large');
  });

  it('lets a kept-alive connection serve the next request', async () => {
    const port = await startServer(refuseAtOnce);
    const nextRequest = 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';
    expect((await sendWithoutReading(await open(port), POST + body + nextRequest)).match(/too large/g)).toHaveLength(2);
  });

  it('reaches a client even if the handler stopped reading in the middle', async () => {
    const port = await startServer((req, res) => {
      req.once('data', () => {
        req.pause();
        res.writeHead(413).end('too large');
      });
    });
    expect(await sendWithoutReading(await open(port), `${POST}Connection: close\r\n${body}`)).toContain('too large');
  });

  it('closes a connection that the client leaves half open', async () => {
    const port = await startServer(refuseAtOnce);
    const connectionEvent = once(server, 'connection');
    const { socket } = await open(port, { allowHalfOpen: true });
    const [connection] = await connectionEvent;
    socket.write(`${POST}Connection: close\r\n${body}`);
    await once(connection, 'close');
    socket.destroy();
  });

  it('keeps the connection open if the whole body was read', async () => {
    const port = await startServer(
      async (req, res) => {
        if (req.method === 'POST') await countBytes(req, res);
        else setTimeout(() => res.end('second'), 100);
      },
      { rest: { maxBytes: 1, pauseMs: 0, timeoutMs: 20 } },
    );
    const nextRequest = 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';
    expect(await send(port, `${POST}Content-Length: 4\r\n\r\nbody${nextRequest}`)).toMatch(/second$/);
  });

  it('lets the client send the remaining body, which the server reads slowly', async () => {
    const pauseMs = 50;
    const port = await startServer(refuseAtOnce, { rest: { maxBytes: 64 * 1024 ** 2, pauseMs, timeoutMs: 60_000 } });
    const { socket } = await open(port);
    const body = Buffer.alloc(8 * 1024 ** 2, 'x');
    const startedAt = performance.now();
    socket.write(`${POST}Content-Length: ${body.length}\r\n\r\n`);
    socket.end(body);
    await once(socket, 'close');
    // The first bytes may have arrived before the response, so the lower bound is generous.
    expect(performance.now() - startedAt).toBeGreaterThan(((body.length / 65_536) * pauseMs) / 4);
  });

  it.each([
    ['the remaining body is too large', { maxBytes: 1_000_000, pauseMs: 0, timeoutMs: 60_000 }],
    ['the remaining body takes too long', { maxBytes: Number.MAX_SAFE_INTEGER, pauseMs: 0, timeoutMs: 50 }],
  ])('closes the connection if %s', async (_, rest) => {
    const port = await startServer(refuseAtOnce, { rest });
    const { socket, received } = await open(port);
    socket.write(`${POST}Transfer-Encoding: chunked\r\n\r\n`);
    // Writing to a closed connection would stop the client before it reads the response.
    await once(socket, 'data');
    const writeTimer = setInterval(() => socket.write(`186a0\r\n${'x'.repeat(100_000)}\r\n`), 1);
    expect(await received).toContain('too large');
    clearInterval(writeTimer);
  });
});

/** Counts the garbage collections that the program requested itself. */
function countForcedCollections(): () => number {
  let forcedCollections = 0;
  const observer = new PerformanceObserver((list) => {
    for (const { detail } of list.getEntries() as unknown as { detail: { kind: number; flags: number } }[])
      if (detail.flags & constants.NODE_PERFORMANCE_GC_FLAGS_FORCED) forcedCollections += 1;
  });
  observer.observe({ entryTypes: ['gc'] });
  onTestFinished(() => observer.disconnect());
  return () => forcedCollections;
}

it('S3: the server collects the chunks of bodies while they arrive', async () => {
  const forcedCollections = countForcedCollections();
  const chunks: ArrayBuffer[] = [];
  // V8 may free older buffers at the same time, so that one burst can be too small.
  const receiveBody = () => {
    chunks.push(...Array.from({ length: 500 }, () => new ArrayBuffer(64 * 1024)));
    return forcedCollections();
  };
  const req = Object.assign(new EventEmitter(), { headers: {} });
  boundMemory(req as IncomingMessage);
  for (const countBefore of [0, 1]) await expect.poll(receiveBody, { interval: 200 }).toBeGreaterThan(countBefore);
  req.emit('close');
  expect(chunks.length).toBeGreaterThanOrEqual(1_000);
});
