import { once } from 'node:events';
import type { Server } from 'node:http';
import { listen, open, stop } from '@berth/testing/raw-socket';
import { afterEach, describe, expect, it } from 'vitest';
import { parseTrustedProxies } from '../../src/http/client-address.ts';
import { createHttpServer, type HttpLimits } from '../../src/http/server.ts';

const log = { info() {}, warn() {}, error() {} };
const REQUEST = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n';
const servers: Server[] = [];

async function start(trusted: string[], limits: Partial<HttpLimits> = {}): Promise<number> {
  const trustedProxies = parseTrustedProxies(trusted);
  const server = createHttpServer((_req, res) => void res.end('ok'), { log, limits, trustedProxies });
  servers.push(server);
  return listen(server);
}

afterEach(async () => {
  await Promise.all(servers.splice(0).map(stop));
});

/** Sends a request on a connection that stays open. @returns The answer; empty if the connection was closed. */
async function request({ socket, received }: Awaited<ReturnType<typeof open>>): Promise<string> {
  const answered = once(socket, 'data').then(([bytes]) => String(bytes));
  socket.write(REQUEST);
  return Promise.race([answered, received.then(() => '')]);
}

describe('scale B11: an idle connection', () => {
  it('of a client is kept open for 5 s, of a trusted proxy for 75 s: longer than proxies keep it', async () => {
    for (const [trusted, seconds] of [
      [[], 5],
      [['127.0.0.1'], 75],
    ] as const) {
      const connection = await open(await start([...trusted]));
      for (let n = 0; n < 2; n += 1)
        expect(await request(connection)).toMatch(`\r\nKeep-Alive: timeout=${seconds}\r\n`);
    }
  });

  it('of a trusted proxy still accepts requests when that of a client has been closed', async () => {
    const limits = { keepAliveTimeoutMs: 50, proxyKeepAliveTimeoutMs: 60_000 };
    const client = await open(await start(['10.0.0.1'], limits));
    const proxy = await open(await start(['127.0.0.0/8'], limits));
    await request(proxy);
    await request(client);
    await client.received;
    expect(await request(proxy)).toContain('HTTP/1.1 200');
    const late = await open(await start(['10.0.0.1'], limits));
    await request(late);
    await late.received;
    expect(await request(proxy)).toContain('HTTP/1.1 200');
  });

  it('of a trusted proxy is closed after its timeout', async () => {
    const proxy = await open(await start(['127.0.0.0/8'], { keepAliveTimeoutMs: 50, proxyKeepAliveTimeoutMs: 100 }));
    await request(proxy);
    expect(await proxy.received).toContain('Keep-Alive: timeout=0');
  });

  it('is closed if a proxy requests it', async () => {
    const { socket, received } = await open(await start(['127.0.0.0/8']));
    socket.write(REQUEST.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'));
    expect(await received).not.toContain('Keep-Alive');
  });
});
