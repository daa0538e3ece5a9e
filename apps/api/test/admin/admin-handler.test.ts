import { listen as listenOn, rawRequest, stop } from '@berth/testing/raw-socket';
import { expect, it, onTestFinished } from 'vitest';
import { type AdminParts, createAdminHandler } from '../../src/admin/admin-handler.ts';
import { Health } from '../../src/health/health.ts';
import { createHttpServer } from '../../src/http/server.ts';

const log = { info() {}, warn() {}, error() {} };
const renderMetrics = async () => ({ contentType: 'text/plain; version=0.0.4', body: 'up 1\n' });
const TOKEN = 'a'.repeat(16) + 'B'.repeat(16);

/** Starts a listener and returns a function that sends a request line with headers to it. */
async function openListener(parts: Partial<AdminParts> = {}, token: string | null = null) {
  const server = createHttpServer(
    createAdminHandler({ health: new Health(log), mayHaveCertificate, ...parts }, token),
    { log },
  );
  const port = await listenOn(server);
  onTestFinished(() => stop(server));
  return (request: string) => {
    const [requestLine = '', ...headers] = request.split('\r\n');
    return rawRequest(port, requestLine, headers);
  };
}

const mayHaveCertificate = async (name: string) => name === 'www.example.com';

it.each(['api.example.com', '10.0.0.1:4001', 'anything_at all', ''])(
  'api §12: answers for the Host "%s"',
  async (host) => {
    const send = await openListener();
    expect((await send(`GET /livez HTTP/1.1\r\nHost: ${host}`)).status).toBe(200);
  },
);

it('api §2: refuses other paths with 404 and other methods with 405, with the usual error body', async () => {
  const send = await openListener();
  const missing = await send('GET /nothing HTTP/1.1');
  expect([missing.status, JSON.parse(missing.body)]).toEqual([
    404,
    { error: 'not_found', message: expect.stringContaining('/livez'), status: 404 },
  ]);
  expect(missing.headers['x-request-id']).toMatch(/^[0-9a-f]{32}$/);
  expect((await send('GET /livez/ HTTP/1.1')).status).toBe(404);
  const refused = await send('POST /livez HTTP/1.1\r\nContent-Length: 0');
  expect([refused.status, refused.headers['allow']]).toEqual([405, 'GET, HEAD, OPTIONS']);
  expect(JSON.parse(refused.body)).toMatchObject({ error: 'method_not_allowed', status: 405 });
  expect((await send('OPTIONS /livez HTTP/1.1')).headers['allow']).toBe('GET, HEAD, OPTIONS');
});

it('answers HEAD like GET, without a body', async () => {
  const send = await openListener({ renderMetrics });
  const { status, headers, body } = await send('HEAD /metrics HTTP/1.1');
  expect([status, headers['content-length'], body]).toEqual([200, '5', '']);
});

it('api §12: sends the metrics that it gets, and has no /metrics without them', async () => {
  const { status, headers, body } = await (await openListener({ renderMetrics }))('GET /metrics?x HTTP/1.1');
  expect([status, headers['content-type'], body]).toEqual([200, 'text/plain; version=0.0.4', 'up 1\n']);
  expect((await (await openListener())('GET /metrics HTTP/1.1')).status).toBe(404);
});

it('T42: hides the reason if the metrics cannot be rendered', async () => {
  const send = await openListener({ renderMetrics: () => Promise.reject(new Error('a secret of the inside')) });
  const { status, body } = await send('GET /metrics HTTP/1.1');
  expect([status, body]).toEqual([500, expect.not.stringContaining('inside')]);
});

it.each([
  ['www.example.com', 200],
  ['WWW.Example.com.', 200],
  ['example.com', 404],
  ['www.example.com..', 400],
  ['www.example.com:443', 400],
  ['192.0.2.1', 400],
  ['[2001:db8::1]', 400],
  ['*.example.com', 400],
  ['http://www.example.com', 400],
  ['www.example.com&domain=www.example.com', 400],
  ['x'.repeat(64), 400],
  ['%C3%BC.example', 400],
  ['', 400],
])('api §12: /tls-allowed?domain=%s is %i', async (domain, expected) => {
  const { status, body } = await (await openListener())(`GET /tls-allowed?domain=${domain} HTTP/1.1`);
  expect(status).toBe(expected);
  if (status === 400) expect(JSON.parse(body)).toMatchObject({ error: 'validation_failed' });
});

it.each([
  ['no credential', ''],
  ['another scheme', `\r\nAuthorization: Basic ${TOKEN}`],
  ['another token', `\r\nAuthorization: Bearer ${TOKEN.toLowerCase()}`],
  ['a part of the token', `\r\nAuthorization: Bearer ${TOKEN.slice(1)}`],
  ['an empty token', '\r\nAuthorization: Bearer '],
])('T42: refuses %s if there is a token', async (_, header) => {
  const send = await openListener({ renderMetrics }, TOKEN);
  const { status, headers, body } = await send(`GET /metrics HTTP/1.1${header}`);
  expect([status, headers['www-authenticate']]).toEqual([401, 'Bearer']);
  expect(JSON.parse(body)).toMatchObject({ error: 'authentication_failed', status: 401 });
});

it('T42: accepts the token, and needs none for probes', async () => {
  const send = await openListener({ renderMetrics }, TOKEN);
  expect((await send(`GET /metrics HTTP/1.1\r\nAuthorization: bearer ${TOKEN}`)).status).toBe(200);
  expect((await send('GET /livez HTTP/1.1')).status).toBe(200);
  expect((await send('GET /readyz HTTP/1.1')).status).toBe(503);
});

it('T42: refuses requests that are too large', async () => {
  const send = await openListener();
  expect((await send(`GET /livez?${'x'.repeat(9_000)} HTTP/1.1`)).status).toBe(414);
  expect((await send(`GET /livez HTTP/1.1\r\nX: ${'x'.repeat(17_000)}`)).status).toBe(431);
});
