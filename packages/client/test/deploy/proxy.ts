import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CONTENT_HEAD_BYTES } from '@berth/contract';
import { onTestFinished } from 'vitest';

/** A request that came by. */
export interface Passed {
  method: string;
  /** Without the query. */
  path: string;
  /** Of the body, as far as it came. */
  bytes: number;
  /** `null` for one that was not let through to its end. */
  status: number | null;
  body: string;
}

/** What happens to a request instead of what it asks for. */
export type Trouble =
  /** It is answered, and goes no further: after its body, or after the first bytes of it. */
  | { status: number; headers?: Record<string, string>; inBody?: boolean }
  /** Its connection is cut after so many bytes of its body. */
  | { cutAfter: number }
  /** The server answers, but the connection is cut instead of telling. */
  | 'lose-answer';

/** Stands between a client and a server, sees everything, and makes trouble. */
export interface Proxy {
  url: string;
  passed: Passed[];
  /** The SHA-256 of each content that went by whole, as often as it did. */
  contents: string[];
  /** @param nth How many requests of this method and path came before. */
  trouble: (req: IncomingMessage, path: string, nth: number) => Trouble | undefined | Promise<Trouble | undefined>;
  /** Cuts every connection, whatever comes by on it. */
  cut(): void;
}

/** Starts a proxy that is gone after the test. @param port Where the server listens, or what says so each time. */
export async function startProxy(port: number | (() => number)): Promise<Proxy> {
  const proxy: Proxy = {
    url: '',
    passed: [],
    contents: [],
    trouble: () => undefined,
    cut: () => server.closeAllConnections(),
  };
  const portNow = typeof port === 'number' ? () => port : port;
  const server = createServer((req, res) => void pass(proxy, portNow, req, res));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  proxy.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return proxy;
}

async function pass(proxy: Proxy, portNow: () => number, req: IncomingMessage, res: ServerResponse): Promise<void> {
  const { method = '', url = '' } = req;
  const path = url.replace(/\?.*/, '').replace(/\/uploads\/[0-9a-f]+\//, '/uploads/*/');
  const nth = proxy.passed.filter((one) => one.method === method && one.path === path).length;
  const passed: Passed = { method, path, bytes: 0, status: null, body: '' };
  proxy.passed.push(passed);
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
  /** What came by still arrives. */
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

/** Reads contents as they travel. @returns What takes the bytes. */
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
      const taken = Number(left < BigInt(rest.length) ? left : BigInt(rest.length));
      rest = rest.subarray(taken);
      left -= BigInt(taken);
      if (left > 0n) return;
      onWhole(head.toString('hex', 0, 32));
      head = Buffer.alloc(0);
    }
  };
}
