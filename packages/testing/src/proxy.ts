import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { CONTENT_HEAD_BYTES } from '@berth/contract';
import { onTestFinished } from 'vitest';
import { listen, stop } from './raw-socket.ts';

/** A request that passed the proxy. */
interface Passed {
  method: string;
  /** Without the query. */
  path: string;
  /** The bytes of the body that were received. */
  bytes: number;
  /** `null` if the request was cut. */
  status: number | null;
  body: string;
}

/** How to disturb a request. */
export type Trouble =
  /** Answer it instead of the server: after its body, or after the first bytes of the body. */
  | { status: number; headers?: Record<string, string>; inBody?: boolean }
  /** Cut its connection after so many bytes of its body. */
  | { cutAfter: number }
  /** Let the server answer, but cut the connection before the response. */
  | 'lose-answer';

/** A proxy between a client and a server that records all requests and can disturb them. */
export interface Proxy {
  url: string;
  passed: Passed[];
  /** The SHA-256 of each content that was sent completely, once for each time. */
  contents: string[];
  /** The number of requests with contents whose response has not ended. */
  sending: number;
  /** @param nth The number of earlier requests with this method and path. */
  trouble: (req: IncomingMessage, path: string, nth: number) => Trouble | undefined | Promise<Trouble | undefined>;
  /** Cuts all connections immediately. */
  cut(): void;
}

/** Starts a proxy that is closed after the test. @param port The port of the server, or a function that returns it. */
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
  const server = createServer((req, res) => void pass(proxy, portNow, req, res));
  onTestFinished(() => stop(server));
  proxy.url = `http://127.0.0.1:${await listen(server)}`;
  return proxy;
}

async function pass(proxy: Proxy, portNow: () => number, req: IncomingMessage, res: ServerResponse): Promise<void> {
  const { method = '', url = '' } = req;
  const path = url.replace(/\?.*/, '').replace(/\/uploads\/[0-9a-f]+\//, '/uploads/*/');
  const nth = proxy.passed.filter((one) => one.method === method && one.path === path).length;
  const passed: Passed = { method, path, bytes: 0, status: null, body: '' };
  proxy.passed.push(passed);
  if (method === 'PUT') {
    proxy.sending += 1;
    res.once('close', () => (proxy.sending -= 1));
  }
  const trouble = await proxy.trouble(req, path, nth);
  if (typeof trouble === 'object' && 'status' in trouble) {
    passed.status = trouble.status;
    const { status, headers = {}, inBody = false } = trouble;
    if (inBody) req.once('data', () => req.pause() && res.writeHead(status, { ...headers, Connection: 'close' }).end());
    else req.resume().on('end', () => res.writeHead(status, headers).end());
    return;
  }
  const port = portNow();
  const cutAfter = typeof trouble === 'object' ? trouble.cutAfter : Number.POSITIVE_INFINITY;
  const follow = method === 'PUT' ? followContents((sha256) => proxy.contents.push(sha256)) : () => {};
  /** The bytes received before the cut are still forwarded. */
  const cut = () => {
    if (onward.socket) onward.socket.end();
    else onward.destroy();
    req.socket.destroy();
  };
  const onward = request({
    host: '127.0.0.1',
    port,
    method,
    path: url,
    agent: false,
    headers: { ...req.headers, host: `localhost:${port}` },
  });
  onward.on('error', () => req.socket.destroy());
  onward.on('response', (answer) => {
    if (trouble === 'lose-answer') {
      answer.resume().on('end', () => req.socket.destroy());
      return;
    }
    passed.status = answer.statusCode ?? null;
    res.writeHead(answer.statusCode!, answer.headers);
    answer.on('error', cut).pipe(res);
  });
  res.on('close', () => res.writableEnded || cut());
  req.on('error', cut);
  if (cutAfter === 0) cut();
  req.on('data', (chunk: Buffer) => {
    const part = chunk.subarray(0, cutAfter - passed.bytes);
    passed.bytes += part.length;
    if (method === 'POST' && req.headers['content-type'] === 'application/json') passed.body += part.toString();
    follow(part);
    if (!onward.write(part)) {
      req.pause();
      onward.once('drain', () => req.resume());
    }
    if (passed.bytes >= cutAfter) cut();
  });
  req.on('end', () => onward.end());
}

/** Parses contents in a request body. @returns A function that takes the bytes. */
function followContents(onWhole: (sha256: string) => void): (chunk: Buffer) => void {
  let head = Buffer.alloc(0);
  let left = 0n;
  return (chunk) => {
    for (let rest = chunk; rest.length > 0;) {
      if (left === 0n) {
        const wanted = CONTENT_HEAD_BYTES - head.length;
        head = Buffer.concat([head, rest.subarray(0, wanted)]);
        rest = rest.subarray(wanted);
        if (head.length < CONTENT_HEAD_BYTES) return;
        left = head.readBigUInt64BE(32);
      }
      const sentBytes = Number(left < BigInt(rest.length) ? left : BigInt(rest.length));
      rest = rest.subarray(sentBytes);
      left -= BigInt(sentBytes);
      if (left > 0n) return;
      onWhole(head.toString('hex', 0, 32));
      head = Buffer.alloc(0);
    }
  };
}
