import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ReadableStream } from 'node:stream/web';
import { MessageChannel } from 'node:worker_threads';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Net, Session } from 'electron';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createRemoteFetch } from '../../src/main/engine/remote-fetch.ts';
import { serveFetch } from '../../src/main/engine/serve-fetch.ts';
import { createChromiumFetch } from '../../src/main/shell/chromium-fetch.ts';
import { FakeClientRequest } from '../harness/fake-electron/net.ts';

type Fetch = typeof globalThis.fetch;

const chromiumFetch = () =>
  createChromiumFetch(
    { request: (options: never) => new FakeClientRequest(options) } as unknown as Pick<Net, 'request'>,
    {} as Session,
  );

/** A `fetch` whose requests are sent by the other end of a channel. */
function throughChannel(fetch: Fetch): Fetch {
  const { port1, port2 } = new MessageChannel();
  serveFetch(port1, fetch);
  onTestFinished(() => port2.close());
  return createRemoteFetch(port2);
}

/** Starts a server, which is stopped after the test. @returns Its address. */
async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const IMPLEMENTATIONS: [name: string, create: () => Fetch][] = [
  ['the network of Chromium', chromiumFetch],
  ['another thread', () => throughChannel(globalThis.fetch)],
  ['another thread and the network of Chromium', () => throughChannel(chromiumFetch())],
];

describe.each(IMPLEMENTATIONS)('fetch through %s', (_, create) => {
  it('sends the method, the headers and the body, and returns the status, the headers and the body', async () => {
    const address = await serve(async (req, res) => {
      const body = await new Response(req as never).text();
      res.writeHead(201, { 'x-method': req.method, 'x-sent': req.headers['x-sent'], 'content-type': 'text/plain' });
      res.end(`${req.url} got ${body}`);
    });
    const response = await create()(new URL('/a?b=c', address), {
      method: 'PUT',
      headers: { 'X-Sent': 'yes', 'Content-Length': '5' },
      body: 'hello',
    });
    expect([response.status, response.ok, response.url]).toEqual([201, true, `${address}/a?b=c`]);
    expect([response.headers.get('x-method'), response.headers.get('x-sent')]).toEqual(['PUT', 'yes']);
    expect(await response.text()).toBe('/a?b=c got hello');
  });

  it('streams a large body, and produces its pieces only as fast as the server reads them', async () => {
    const reading = Promise.withResolvers<void>();
    const address = await serve(async (req, res) => {
      await reading.promise;
      let bytes = 0;
      for await (const piece of req) bytes += (piece as Buffer).length;
      res.end(String(bytes));
    });
    const pieces = 400;
    let produced = 0;
    const body = ReadableStream.from(
      (async function* () {
        for (; produced < pieces; produced += 1) yield Buffer.alloc(256 * 1024);
      })(),
    );
    const response = create()(address, { method: 'PUT', body, duplex: 'half' } as never);
    let before = -1;
    while (before !== produced) {
      before = produced;
      await sleep(200);
    }
    expect(produced).toBeLessThan(pieces);
    reading.resolve();
    expect(await (await response).text()).toBe(String(pieces * 256 * 1024));
  });

  it('frees the pieces of a streamed body once they are sent, unless their buffer contains something else', async () => {
    const address = await serve(async (req, res) => void res.end(await new Response(req as never).text()));
    const [own, shared] = [new Uint8Array(2).fill(97), new Uint8Array(4).fill(98).subarray(2)];
    const body = ReadableStream.from([own, shared]);
    const response = await create()(address, { method: 'PUT', body, duplex: 'half' } as never);
    expect(await response.text()).toBe(`${'a'.repeat(2)}${'b'.repeat(2)}`);
    expect([own.byteLength, shared.byteLength]).toEqual([0, 2]);
  });

  it('returns the pieces of a response as they arrive, and ends the connection when the reader stops', async () => {
    const closed = Promise.withResolvers<void>();
    const address = await serve((req, res) => {
      res.writeHead(200).write('first');
      req.once('close', () => closed.resolve());
    });
    const { body } = await create()(address);
    const reader = body!.getReader();
    expect(Buffer.from((await reader.read()).value!).toString()).toBe('first');
    await reader.cancel();
    await closed.promise;
  });

  it('ends the request when the caller aborts, before and after the response', async () => {
    const arrived = Promise.withResolvers<void>();
    const closed = Promise.withResolvers<void>();
    const address = await serve((req, res) => {
      arrived.resolve();
      if (req.url === '/begun') res.writeHead(200).write('first');
      req.once('close', () => closed.resolve());
    });
    const fetch = create();
    const silent = new AbortController();
    const waiting = fetch(address, { signal: silent.signal });
    await arrived.promise;
    silent.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    await closed.promise;
    const begun = new AbortController();
    const { body } = await fetch(`${address}/begun`, { signal: begun.signal });
    begun.abort();
    await expect(new Response(body).text()).rejects.toThrow();
    await expect(fetch(address, { signal: begun.signal })).rejects.toThrow();
  });

  it('returns a redirect instead of following it, unless the caller wants it followed', async () => {
    const address = await serve((req, res) => {
      if (req.url === '/') res.writeHead(302, { location: '/target' }).end();
      else res.end('target');
    });
    const redirect = await create()(address, { redirect: 'manual' });
    expect(redirect.status).toBe(302);
    expect(new URL(redirect.headers.get('location')!, address).pathname).toBe('/target');
    const followed = await create()(address, { redirect: 'follow' });
    expect([followed.redirected, followed.url, await followed.text()]).toEqual([true, `${address}/target`, 'target']);
  });

  it('accepts responses without a body', async () => {
    const address = await serve((_, res) => res.writeHead(204).end());
    expect(await (await create()(address, { method: 'DELETE' })).text()).toBe('');
  });

  it('rejects with the reason if the server cannot be reached', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    server.close();
    await once(server, 'close');
    const error = await create()(`http://127.0.0.1:${port}`).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: 'TypeError', cause: { message: expect.stringMatching(/REFUSED|refuses/i) } });
  });

  it('rejects with the error of a body that breaks off', async () => {
    const address = await serve((req) => req.resume());
    const body = ReadableStream.from(
      (async function* () {
        yield Buffer.from('first');
        throw new Error('the file has changed');
      })(),
    );
    const broken = create()(address, { method: 'PUT', body, duplex: 'half' } as never);
    await expect(broken).rejects.toThrow(/the file has changed|fetch failed/);
  });
});

it('an untrusted certificate is explained in words (R3)', async () => {
  class Refused extends FakeClientRequest {
    override end(): this {
      this.emit('error', new Error('net::ERR_CERT_AUTHORITY_INVALID'));
      return this;
    }
  }
  const net = { request: (options: never) => new Refused(options) } as unknown as Pick<Net, 'request'>;
  const error = await createChromiumFetch(
    net,
    {} as Session,
  )('https://berth.example').catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ cause: { message: expect.stringContaining('does not trust its certificate') } });
});
