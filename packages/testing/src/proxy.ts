import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { CONTENT_HEAD_BYTES } from '@berth/contract';
import { onTestFinished } from 'vitest';
import { listen, stop } from './raw-socket.ts';

/** A request that arrived at the proxy. */
interface ProxiedRequest {
  method: string;
  /** Path without the query. */
  path: string;
  /** Number of bytes of the request body that the proxy received. */
  bytes: number;
  /** Status of the response; `null` if the request was cut. */
  status: number | null;
  body: string;
}

/** How the proxy disturbs a request. */
export type Trouble =
  /** The proxy sends this response instead of the server: after the request body, or after its first bytes. */
  | { status: number; headers?: Record<string, string>; beforeBodyEnds?: boolean }
  /** The proxy cuts the connection after this many bytes of the request body. */
  | { cutAfter: number }
  /** The proxy forwards the request, but cuts the connection before the response. */
  | 'lose-answer';

/** A proxy that records all requests between a client and a server, and can disturb requests. */
export interface Proxy {
  url: string;
  passed: ProxiedRequest[];
  /** The SHA-256 of each content that was sent completely. A content that is sent twice is listed twice. */
  contents: string[];
  /** The number of PUT requests whose response has not finished. */
  sending: number;
  /** Decides how to disturb a request. @param nth The number of earlier requests with this method and path. */
  trouble: (req: IncomingMessage, path: string, nth: number) => Trouble | undefined | Promise<Trouble | undefined>;
  /** Cuts all connections immediately. */
  cut(): void;
}

/** Starts a proxy that is closed after the test. The port of the server may change. */
export async function startProxy(port: number | (() => number)): Promise<Proxy> {
  const proxy: Proxy = {
    url: '',
    passed: [],
    contents: [],
    sending: 0,
    trouble: () => undefined,
    cut: () => server.closeAllConnections(),
  };
  const portNow = typeof port === 'number' ? () => port : port;
  const server = createServer((req, res) => void forwardRequest(proxy, portNow, req, res));
  onTestFinished(() => stop(server));
  proxy.url = `http://127.0.0.1:${await listen(server)}`;
  return proxy;
}

async function forwardRequest(
  proxy: Proxy,
  portNow: () => number,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  const { method = '', url = '' } = req;
  const path = url.replace(/\?.*/, '').replace(/\/uploads\/[0-9a-f]+\//, '/uploads/*/');
  const nth = proxy.passed.filter((earlier) => earlier.method === method && earlier.path === path).length;
  const proxiedRequest: ProxiedRequest = { method, path, bytes: 0, status: null, body: '' };
  proxy.passed.push(proxiedRequest);
  if (method === 'PUT') {
    proxy.sending += 1;
    res.once('close', () => (proxy.sending -= 1));
  }
  const trouble = await proxy.trouble(req, path, nth);
  if (typeof trouble === 'object' && 'status' in trouble) {
    proxiedRequest.status = trouble.status;
    const { status, headers = {}, beforeBodyEnds = false } = trouble;
    if (beforeBodyEnds)
      req.once('data', () => req.pause() && res.writeHead(status, { ...headers, Connection: 'close' }).end());
    else req.resume().on('end', () => res.writeHead(status, headers).end());
    return;
  }
  const port = portNow();
  const cutAfter = typeof trouble === 'object' ? trouble.cutAfter : Number.POSITIVE_INFINITY;
  const onUploadChunk = method === 'PUT' ? followContents((sha256) => proxy.contents.push(sha256)) : () => {};
  /** Cuts both connections, but still forwards the bytes that were received before. */
  const cutConnection = () => {
    if (upstream.socket) upstream.socket.end();
    else upstream.destroy();
    req.socket.destroy();
  };
  const upstream = request({
    host: '127.0.0.1',
    port,
    method,
    path: url,
    agent: false,
    headers: { ...req.headers, host: `localhost:${port}` },
  });
  upstream.on('error', () => req.socket.destroy());
  upstream.on('response', (response) => {
    if (trouble === 'lose-answer') {
      response.resume().on('end', () => req.socket.destroy());
      return;
    }
    proxiedRequest.status = response.statusCode ?? null;
    res.writeHead(response.statusCode!, response.headers);
    response.on('error', cutConnection).pipe(res);
  });
  res.on('close', () => res.writableEnded || cutConnection());
  req.on('error', cutConnection);
  if (cutAfter === 0) cutConnection();
  req.on('data', (chunk: Buffer) => {
    const forwardedBytes = chunk.subarray(0, cutAfter - proxiedRequest.bytes);
    proxiedRequest.bytes += forwardedBytes.length;
    if (method === 'POST' && req.headers['content-type'] === 'application/json')
      proxiedRequest.body += forwardedBytes.toString();
    onUploadChunk(forwardedBytes);
    if (!upstream.write(forwardedBytes)) {
      req.pause();
      upstream.once('drain', () => req.resume());
    }
    if (proxiedRequest.bytes >= cutAfter) cutConnection();
  });
  req.on('end', () => upstream.end());
}

/** Parses contents from the chunks of a request body. @returns A function that takes the next chunk. */
function followContents(onContent: (sha256: string) => void): (chunk: Buffer) => void {
  let head = Buffer.alloc(0);
  let missingBytes = 0n;
  return (chunk) => {
    for (let unread = chunk; unread.length > 0;) {
      if (missingBytes === 0n) {
        const missingHeadBytes = CONTENT_HEAD_BYTES - head.length;
        head = Buffer.concat([head, unread.subarray(0, missingHeadBytes)]);
        unread = unread.subarray(missingHeadBytes);
        if (head.length < CONTENT_HEAD_BYTES) return;
        missingBytes = head.readBigUInt64BE(32);
      }
      const sentBytes = Number(missingBytes < BigInt(unread.length) ? missingBytes : BigInt(unread.length));
      unread = unread.subarray(sentBytes);
      missingBytes -= BigInt(sentBytes);
      if (missingBytes > 0n) return;
      onContent(head.toString('hex', 0, 32));
      head = Buffer.alloc(0);
    }
  };
}
