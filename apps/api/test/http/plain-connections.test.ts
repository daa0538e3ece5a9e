import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { listen, open, parse, send, stop } from '@berth/testing/raw-socket';
import { afterEach, describe, expect, it } from 'vitest';
import { parseTrustedProxies } from '../../src/http/client-address.ts';
import { onRequestEnd } from '../../src/http/count-requests.ts';
import type { PlainAnswer } from '../../src/http/plain-answer.ts';
import type { PlainEnd } from '../../src/http/plain-connections.ts';
import type { PlainRequest } from '../../src/http/plain-request.ts';
import { ResponseHead } from '../../src/http/response-head.ts';
import { closeIdleConnections, createHttpServer, type HttpLimits } from '../../src/http/server.ts';

const LARGE_BYTES = 8 * 1024 ** 2;
const log = { info() {}, warn() {}, error() {} };
const ends: PlainEnd[] = [];
/** The bytes that were counted for each response of node:http. */
const nodeBytes: number[] = [];
let server: Server;
afterEach(() => stop(server));

type Answer = (request: PlainRequest) => PlainAnswer | null | Promise<PlainAnswer | null>;

/** Starts a server whose plain requests are answered by `answer`; node:http responds with `node` and the target. */
async function startServer(answer: Answer, limits: Partial<HttpLimits> = {}, proxies: string[] = []): Promise<number> {
  ends.length = 0;
  nodeBytes.length = 0;
  const respond = (req: IncomingMessage, res: ServerResponse) => {
    onRequestEnd(res, (_durationMs, bytes) => void nodeBytes.push(bytes));
    res.end(`node ${req.url}`);
  };
  server = createHttpServer(respond, {
    log,
    limits,
    trustedProxies: parseTrustedProxies(proxies),
    counted: true,
    plainHandler: () => ({ answer, onEnd: (end) => void ends.push(end) }),
  });
  return listen(server);
}

function answerWith(body: string | Buffer, status = 200): PlainAnswer {
  const bytes = Buffer.from(body);
  return { status, head: new ResponseHead(status, ['Content-Length', String(bytes.length)]).text, body: bytes };
}

const answerTarget: Answer = ({ target }) => (target.startsWith('/plain') ? answerWith(`plain ${target}`) : null);
const get = (target: string, field = 'X: 1') => `GET ${target} HTTP/1.1\r\nHost: a\r\n${field}\r\n\r\n`;
const last = (target: string) => get(target, 'Connection: close');
const bodiesIn = (text: string) => text.match(/(?:plain|node) \/[a-z]*\d?/g);

describe('a connection with plain requests', () => {
  it('gets whole responses with an id, a date and the time for which it is kept', async () => {
    const port = await startServer(answerTarget);
    const { socket } = await open(port);
    socket.write(get('/plain'));
    const [bytes] = (await once(socket, 'data')) as [Buffer];
    socket.destroy();
    const { status, headers, body } = parse(bytes.toString('latin1'));
    expect({ status, body }).toEqual({ status: 200, body: 'plain /plain' });
    expect(headers).toEqual({
      'content-length': '12',
      'x-request-id': expect.stringMatching(/^[0-9a-f]{32}$/),
      date: expect.any(String),
      connection: 'keep-alive',
      'keep-alive': 'timeout=5',
    });
    expect(Math.abs(Date.parse(headers['date']!) - Date.now())).toBeLessThan(5_000);
    expect(ends).toMatchObject([
      {
        requestId: headers['x-request-id'],
        status: 200,
        bytes: bytes.length,
        durationMs: expect.any(Number),
        isAborted: false,
      },
    ]);
  });

  it('T4: is left to node:http from the first other request on, and gets all responses in order', async () => {
    const port = await startServer(answerTarget);
    const text = await send(port, `${get('/plain1')}${get('/plain2')}${get('/other')}${get('/plain3')}${last('/end')}`);
    expect(bodiesIn(text)).toEqual(['plain /plain1', 'plain /plain2', 'node /other', 'node /plain3', 'node /end']);
  });

  it('counts the bytes of each response once', async () => {
    const port = await startServer(answerTarget);
    const text = await send(port, `${get('/plain1')}${get('/other1')}${last('/other2')}`);
    await expect.poll(() => nodeBytes).toHaveLength(2);
    expect(ends).toHaveLength(1);
    expect(ends[0]!.bytes + nodeBytes[0]! + nodeBytes[1]!).toBe(text.length);
  });

  it('is left to node:http when a request comes in pieces', async () => {
    const port = await startServer(answerTarget);
    const { socket, received } = await open(port);
    socket.write(get('/plain1') + last('/plain2').slice(0, 20));
    await once(socket, 'data');
    socket.write(last('/plain2').slice(20));
    expect(bodiesIn(await received)).toEqual(['plain /plain1', 'node /plain2']);
  });

  it('is closed after a response if the client asks for it', async () => {
    const port = await startServer(answerTarget);
    const { headers, body } = parse(await send(port, last('/plain') + get('/plain2')));
    expect({ connection: headers['connection'], body }).toEqual({ connection: 'close', body: 'plain /plain' });
  });

  it.each([
    ['the response', answerWith('plain /a'), ['plain /a', 'node /b']],
    ['no response, so that node:http must respond', null, ['node /a', 'node /b']],
  ])('waits while %s is loaded, also while the server closes idle connections', async (_, loaded, expected) => {
    const loading = Promise.withResolvers<PlainAnswer | null>();
    const port = await startServer(({ target }) => (target === '/a' ? loading.promise : null));
    const connected = once(server, 'connection') as Promise<[Socket]>;
    const { socket, received } = await open(port);
    socket.write(get('/a') + last('/b'));
    const [connection] = await connected;
    await expect.poll(() => connection.bytesRead).toBeGreaterThan(0);
    closeIdleConnections(server);
    loading.resolve(loaded);
    expect(bodiesIn(await received)).toEqual(expected);
  });

  it('gets the response that was loaded after the client ended its side', async () => {
    const loading = Promise.withResolvers<PlainAnswer | null>();
    const port = await startServer(() => loading.promise);
    const connected = once(server, 'connection') as Promise<[Socket]>;
    const { socket, received } = await open(port, { allowHalfOpen: true });
    socket.end(get('/a'));
    const [connection] = await connected;
    await expect.poll(() => connection.bytesRead).toBeGreaterThan(0);
    loading.resolve(answerWith('plain /a'));
    expect(bodiesIn(await received)).toEqual(['plain /a']);
  });

  it('T5: is not read while the client takes no response', async () => {
    const port = await startServer(() => answerWith(Buffer.alloc(LARGE_BYTES)));
    const connected = once(server, 'connection') as Promise<[Socket]>;
    const { socket } = await open(port);
    socket.pause();
    const [connection] = await connected;
    socket.write(get('/').repeat(1_000));
    await expect.poll(() => connection.writableLength).toBeGreaterThan(0);
    expect(connection.writableLength).toBeLessThanOrEqual(LARGE_BYTES + 1_000);
    expect(ends).toMatchObject([]);
    socket.destroy();
    await new Promise((closed) => void connection.once('close', closed));
    await expect.poll(() => ends).toMatchObject([{ status: 200, isAborted: true }]);
  });

  it('reports a client that left while the response was loaded', async () => {
    const loading = Promise.withResolvers<PlainAnswer | null>();
    const port = await startServer(() => loading.promise);
    const connected = once(server, 'connection') as Promise<[Socket]>;
    const { socket } = await open(port);
    const [connection] = await connected;
    socket.write(get('/'));
    await expect.poll(() => connection.bytesRead).toBeGreaterThan(0);
    socket.resetAndDestroy();
    await new Promise((closed) => void connection.once('close', closed));
    loading.resolve(answerWith('late'));
    await expect.poll(() => ends).toMatchObject([{ status: 0, bytes: 0, isAborted: true }]);
  });

  it.each([
    ['before its first request', '', { headersTimeoutMs: 200, keepAliveTimeoutMs: 60_000 }, []],
    ['after a response', get('/plain'), { headersTimeoutMs: 60_000, keepAliveTimeoutMs: 200 }, []],
    ['of a proxy', get('/plain'), { keepAliveTimeoutMs: 60_000, proxyKeepAliveTimeoutMs: 200 }, ['127.0.0.1']],
  ])('T5: is closed if it stays idle %s', async (_, sent, limits, proxies) => {
    const port = await startServer(answerTarget, limits, proxies);
    await send(port, sent);
    expect(ends.length).toBe(sent === '' ? 0 : 1);
  });
});
