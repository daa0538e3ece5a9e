import { setImmediate } from 'node:timers/promises';
import { rawRequest } from '@berth/testing/raw-socket';
import { startServer } from '@berth/testing/server';
import { useServer } from '@berth/testing/use-server';
import { describe, expect, it, onTestFinished } from 'vitest';
import { CachedCheck } from '../../src/health/check.ts';
import { readConfig } from '../../src/config/config.ts';
import { Health } from '../../src/health/health.ts';
import { createProbes } from '../../src/health/probes.ts';
import { HttpListener } from '../../src/http/http-listener.ts';

const log = { info() {}, warn() {}, error() {} };

async function probe(port: number, path: string, host = '127.0.0.1'): Promise<[number, unknown]> {
  const { status, body } = await rawRequest(port, `GET ${path} HTTP/1.1`, [`Host: ${host}`]);
  return [status, JSON.parse(body)];
}

describe('probes of a whole server', () => {
  let storageError: NodeJS.ErrnoException | null = null;
  const server = useServer({
    env: { ADMIN_LISTEN: '127.0.0.1:0', BASE_URL: 'http://api.example.com', PLATFORM_DOMAIN: 'sites.example.net' },
    parts: ({ packs }) => ({
      packs: {
        ...packs,
        checkWritable: () => (storageError ? Promise.reject(storageError) : packs.checkWritable()),
      },
    }),
  });

  it.each(['127.0.0.1', '127.0.0.1:4000', '10.1.2.3', 'localhost', 'LOCALHOST:80', '[::1]', '[fd00::1]:4000'])(
    'api §12: /livez and /readyz answer on the main port for the Host %s',
    async (host) => {
      expect(await probe(server().port, '/livez', host)).toEqual([200, { status: 'ok' }]);
      expect(await probe(server().port, '/readyz?verbose', host)).toEqual([200, { status: 'ok' }]);
    },
  );

  it.each(['api.example.com', 'x.sites.example.net', '127.0.0.1.example.com', '[::1', '::1', ''])(
    'api §12: /livez is an ordinary path for the Host "%s"',
    async (host) => {
      expect((await rawRequest(server().port, 'GET /livez HTTP/1.1', [`Host: ${host}`])).status).not.toBe(200);
    },
  );

  it('api §2: probes refuse other methods with 405, and answer HEAD without a body', async () => {
    const refused = await rawRequest(server().port, 'POST /readyz HTTP/1.1', ['Host: 127.0.0.1', 'Content-Length: 0']);
    expect([refused.status, refused.headers['allow']]).toEqual([405, 'GET, HEAD, OPTIONS']);
    const head = await rawRequest(server().port, 'HEAD /livez HTTP/1.1', ['Host: 127.0.0.1']);
    expect([head.status, head.headers['content-length'], head.body]).toEqual([200, '15', '']);
  });

  it('api §12: the admin listener answers probes for any Host', async () => {
    const { adminPort } = server().berth;
    expect(await probe(adminPort!, '/livez', 'berth')).toEqual([200, { status: 'ok' }]);
    expect(await probe(adminPort!, '/readyz', 'berth')).toEqual([200, { status: 'ok' }]);
  });

  it.each([
    ['ENOSPC', 'No space is left on the disk.'],
    ['EROFS', 'The disk is read-only.'],
    ['ESTALE', 'The storage cannot be used.'],
  ])('T42: /readyz says why the storage cannot be used, without a path: %s', async (code, storage) => {
    storageError = Object.assign(new Error(`${code}: open '/srv/berth/packs/probe'`), { code });
    onTestFinished(() => void (storageError = null));
    const reason = { error: 'unavailable', message: 'The service is not ready.', status: 503, database: 'ok', storage };
    await expect.poll(() => probe(server().berth.adminPort!, '/readyz')).toEqual([503, reason]);
    expect(await probe(server().port, '/readyz')).toEqual([503, reason]);
    expect(await probe(server().port, '/healthz', 'api.example.com')).toEqual([503, reason]);
    expect((await probe(server().port, '/livez'))[0]).toBe(200);
  });
});

it('api §12: a server that starts is alive but not ready', async () => {
  const health = new Health(log);
  const listener = new HttpListener(readConfig({ HOST: '127.0.0.1', PORT: '0' }), log, {
    probes: createProbes(health),
  });
  onTestFinished(() => listener.close());
  const port = await listener.listen();
  expect((await probe(port, '/livez'))[0]).toBe(200);
  expect(await probe(port, '/readyz')).toEqual([503, expect.objectContaining({ server: 'The server is starting.' })]);
  expect((await probe(port, '/other'))[0]).toBe(503);
});

it('api §10: a server that drains is not ready, but serves everything', async () => {
  const server = await startServer({ env: { ADMIN_LISTEN: '127.0.0.1:0' } });
  onTestFinished(() => server.close());
  const { deployment } = await server.publish({ 'index.html': 'served' });
  await server.berth.drain();
  const draining = [503, expect.objectContaining({ server: 'The server is stopping.' })];
  expect(await probe(server.port, '/readyz')).toEqual(draining);
  expect(await probe(server.berth.adminPort!, '/readyz')).toEqual(draining);
  expect((await probe(server.port, '/livez'))[0]).toBe(200);
  expect((await server.visit(deployment)).text).toBe('served');
  expect((await server.deploy({ 'index.html': 'new' })).status).toBe(201);
});

describe('T42: a check', () => {
  it('runs once for all callers, and again only after a second', async () => {
    let [now, runs] = [0, 0];
    const check = new CachedCheck(async () => void (runs += 1), { now: () => now });
    await Promise.all([check.result(), check.result(), check.result()]);
    now = 999;
    expect(await check.result()).toBe(null);
    expect(runs).toBe(1);
    now = 1_000;
    await check.result();
    expect(runs).toBe(2);
  });

  it('that does not end counts as failed, and is not started again until it ends', async () => {
    let [now, runs] = [0, 0];
    const { promise, resolve } = Promise.withResolvers<void>();
    const check = new CachedCheck(() => ((runs += 1), promise), { now: () => now, timeoutMs: 1 });
    expect(await check.result()).toMatchObject({ name: 'CheckTimeoutError' });
    now = 60_000;
    expect(await check.result()).toMatchObject({ name: 'CheckTimeoutError' });
    expect(runs).toBe(1);
    resolve();
    await setImmediate();
    expect(await check.result()).toBe(null);
  });
});
