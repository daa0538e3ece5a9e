import type { Server } from 'node:http';
import { ask, listen, open, stop } from '@berth/testing/raw-socket';
import { afterEach, describe, expect, it } from 'vitest';
import { parseTrustedProxies } from '../../src/http/client-address.ts';
import { createHttpServer, type HttpLimits } from '../../src/http/server.ts';

const log = { info() {}, warn() {}, error() {} };
let server: Server;

async function start(limits: Partial<HttpLimits>, trusted: string[] = []): Promise<number> {
  server = createHttpServer((_req, res) => void res.end('ok'), {
    log,
    limits,
    trustedProxies: parseTrustedProxies(trusted),
  });
  return listen(server);
}

afterEach(() => stop(server));

describe('T5: the maximum number of connections', () => {
  it('of one address closes further ones, and accepts new ones when one has left', async () => {
    const port = await start({ maxSocketsPerAddress: 2 });
    const [first] = [await open(port), await open(port)];
    expect(await (await open(port)).received).toBe('');
    expect(await (await open(port)).received).toBe('');

    first.socket.destroy();
    await expect.poll(async () => (await ask(port, 'GET / HTTP/1.1')).body).toBe('ok');
  });

  it('in total closes further ones', async () => {
    const port = await start({ maxSockets: 2 });
    await Promise.all([open(port), open(port)]);
    expect(await (await open(port)).received).toBe('');
  });

  it('of one address does not apply to a trusted proxy', async () => {
    const port = await start({ maxSocketsPerAddress: 1 }, ['127.0.0.0/8']);
    await Promise.all([open(port), open(port), open(port)]);
    expect((await ask(port, 'GET / HTTP/1.1')).body).toBe('ok');
  });
});
