import { gzipSync } from 'node:zlib';
import { answerEndlessly, ENDLESS_BYTES, startAnswering, unreachableAddress } from '@berth/testing/fake-servers';
import { OWNER_KEY } from '@berth/testing/requests';
import { useServer } from '@berth/testing/use-server';
import { describe, expect, test } from 'vitest';
import { type BerthClient, createClient, parseWebAddress } from '../../src/client.ts';
import { ClientError } from '../../src/errors.ts';

const JSON_TYPE = { 'Content-Type': 'application/json' };

/** Returns the error with which a call fails. */
async function failureOf(work: Promise<unknown>): Promise<ClientError> {
  const thrownError = await work.then(
    () => null,
    (error: unknown) => error,
  );
  if (thrownError instanceof ClientError) return thrownError;
  throw new Error('no ClientError was thrown', { cause: thrownError });
}

describe('a client of a real server', () => {
  const server = useServer();
  const clientAs = (key: string | null) => createClient({ server: `http://localhost:${server().port}`, key });

  test('calls procedures and routes with its key', async () => {
    const client = clientAs(OWNER_KEY);
    expect(await client.api.account.get.query()).toMatchObject({ email: 'owner@localhost' });
    const response = await client.request('account');
    expect(await response.json()).toMatchObject({ email: 'owner@localhost' });
  });

  test('refuses a subscription from untyped code, and names the function to use', () => {
    const api = clientAs(OWNER_KEY).api as unknown as { activities: { watch: { subscribe(): void } } };
    expect(() => api.activities.watch.subscribe()).toThrow(
      new ClientError('refused', 'activities.watch is a stream. Use followActivities to receive activities.'),
    );
  });

  const REFUSALS = [
    ['a key that is not accepted', `ship-${'f'.repeat(32)}`, 'account', 'signed-out', 'authentication_failed', 401],
    ['a missing key', null, 'account', 'signed-out', 'authentication_failed', 401],
    ['a missing deployment', OWNER_KEY, 'deployments/calm-otter-0000000', 'refused', 'not_found', 404],
  ] as const;
  test.each(REFUSALS)(
    'fails with the same error for %s through tRPC and REST',
    async (_, key, path, kind, code, status) => {
      const client = clientAs(key);
      const trpcCall =
        path === 'account'
          ? client.api.account.get.query()
          : client.api.deployments.get.query({ deployment: 'calm-otter-0000000' });
      for (const failure of [await failureOf(trpcCall), await failureOf(client.request(path))])
        expect(failure).toMatchObject({ kind, code, status, message: expect.stringMatching(/\.$/) });
    },
  );

  test('fails with an error that includes the details if the server refuses a call', async () => {
    const failure = await failureOf(clientAs(OWNER_KEY).api.domains.put.mutate({ domain: 'www' }));
    expect(failure).toMatchObject({ kind: 'refused', status: 400, details: { issues: [{ path: 'domain' }] } });
  });
});

const body = (error: string, status: number, details = {}) =>
  JSON.stringify({ error, message: 'So it is.', status, details });
const RESPONSES = [
  [400, body('validation_failed', 400, { file: 'a.txt' }), {}, { kind: 'refused', file: 'a.txt', status: 400 }],
  [401, body('authentication_failed', 401), {}, { kind: 'signed-out' }],
  [403, body('forbidden', 403), {}, { kind: 'signed-out', code: 'forbidden' }],
  [408, body('request_timeout', 408), {}, { kind: 'network' }],
  [413, body('payload_too_large', 413, { file: 'b' }), {}, { kind: 'refused', file: 'b' }],
  [422, body('business_logic_error', 422), {}, { kind: 'refused' }],
  [429, body('rate_limit_exceeded', 429), { 'Retry-After': '7' }, { kind: 'unavailable', retryAfterSeconds: 7 }],
  [500, body('internal_server_error', 500), {}, { kind: 'server', code: 'internal_server_error' }],
  [503, body('unavailable', 503), { 'Retry-After': '2' }, { kind: 'unavailable', retryAfterSeconds: 2 }],
  [502, '<h1>Bad Gateway</h1>', {}, { kind: 'unavailable', code: null, status: 502 }],
  [404, '', {}, { kind: 'refused', code: null, status: 404 }],
] as const;

describe.each(RESPONSES)('a response with status %i and body %j', (status, text, headers, expected) => {
  test('causes the same error in a call and in a request', async () => {
    const server = await startAnswering((req, res) => {
      const isCall = req.url?.startsWith('/trpc') === true && text.startsWith('{');
      res.writeHead(status, { ...headers, ...(text.startsWith('{') ? { 'Content-Type': 'application/json' } : {}) });
      res.end(
        isCall ? JSON.stringify({ error: { message: 'So it is.', code: -32600, data: JSON.parse(text) } }) : text,
      );
    });
    const client = createClient({ server });
    expect(await failureOf(client.request('x'))).toMatchObject(expected);
    expect(await failureOf(client.api.platform.ping.query())).toMatchObject(expected);
  });
});

describe('a failed request', () => {
  test('throws a network error that names the server and the cause if the server cannot be reached', async () => {
    const client = createClient({ server: await unreachableAddress() });
    for (const call of [() => client.request('ping'), () => client.api.platform.ping.query()])
      expect(await failureOf(call())).toMatchObject({
        kind: 'network',
        status: null,
        message: expect.stringMatching(/^127\.0\.0\.1:\d+ cannot be reached: .*ECONNREFUSED/),
      });
  });

  test('throws a network error if the connection breaks during the response', async () => {
    const server = await startAnswering((_req, res) => {
      res.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': '100' });
      res.write('{"result":', () => res.destroy());
    });
    expect(await failureOf(createClient({ server }).api.platform.ping.query())).toMatchObject({ kind: 'network' });
  });

  test('throws a server error if the response is invalid', async () => {
    const server = await startAnswering((_req, res) => void res.end('<h1>Welcome to nginx</h1>'));
    expect(await failureOf(createClient({ server }).api.platform.ping.query())).toMatchObject({ kind: 'server' });
  });

  const WAYS = [
    ['at once', () => AbortSignal.abort()],
    ['while it waits', () => AbortSignal.timeout(20)],
    ['with a custom reason', () => AbortSignal.abort(new Error('enough'))],
  ] as const;
  test.each(WAYS)('throws an error of the kind aborted if the caller aborts %s', async (_, signal) => {
    const client = createClient({ server: await startAnswering(() => {}) });
    for (const call of [
      () => client.request('x', { signal: signal() }),
      () => client.api.platform.ping.query(undefined, { signal: signal() }),
    ])
      expect(await failureOf(call())).toMatchObject({ kind: 'aborted' });
  });
});

describe('the server address of a client', () => {
  test.each(['', 'berth.example', 'localhost:4000', 'ftp://berth.example', '/tmp'])('cannot be "%s"', (server) => {
    expect(() => createClient({ server })).toThrow(expect.objectContaining({ kind: 'refused' }));
  });

  test('may have a path, with which the paths of all requests begin', async () => {
    const requestedUrls: (string | undefined)[] = [];
    const server = await startAnswering((req, res) => {
      requestedUrls.push(req.url);
      res.writeHead(200, { 'Content-Type': 'application/json' }).end('{"result":{"data":{"timestamp":1}}}');
    });
    const client = createClient({ server: `${server}/berth?x#y` });
    await client.request('ping');
    await client.api.platform.ping.query();
    expect(requestedUrls).toEqual(['/berth/ping', '/berth/trpc/platform.ping']);
  });
});

describe('a redirect', () => {
  const WAYS = [
    ['a query', (client: BerthClient) => client.api.platform.ping.query()],
    ['a mutation', (client: BerthClient) => client.api.domains.put.mutate({ domain: 'www.example.com' })],
    ['a request', (client: BerthClient) => client.request('deployments', { method: 'POST', body: 'secret' })],
    [
      'a request whose body is a stream',
      (client: BerthClient) => {
        const body = ReadableStream.from([Buffer.from('secret')]);
        return client.request('deployments', { method: 'POST', body, duplex: 'half' });
      },
    ],
  ] as const;
  const CASES = WAYS.flatMap(([way, call]) => [301, 302, 303, 307, 308].map((status) => [way, status, call] as const));

  test.each(CASES)('of %s with status %i is refused, and its target receives no request', async (_, status, call) => {
    const requestedUrls: (string | undefined)[] = [];
    const target = await startAnswering((req, res) => (requestedUrls.push(req.url), res.end('{"result":{"data":{}}}')));
    const server = await startAnswering((req, res) => {
      req.resume();
      res.writeHead(status, { Location: `${target}${req.url}` }).end();
    });
    expect(await failureOf(call(createClient({ server, key: OWNER_KEY })))).toMatchObject({
      kind: 'refused',
      status,
      details: { server: target },
      message: `The server at ${new URL(server).host} redirects to ${target}. Use that address for the server.`,
    });
    expect(requestedUrls).toEqual([]);
  });

  const TARGETS = [
    ['https://berth.example/ping', 'https://berth.example'],
    ['https://berth.example/below/ping?x=y', 'https://berth.example/below'],
    ['/ping/', 'SERVER'],
    ['https://berth.example/login', 'https://berth.example'],
    ['file:///etc/passwd', null],
    ['http://', null],
  ] as const;
  test.each(TARGETS)('to %s is refused, and the error names the server address %s', async (location, named) => {
    const server = await startAnswering((_req, res) => void res.writeHead(307, { Location: location }).end());
    expect(await failureOf(createClient({ server }).request('ping'))).toMatchObject({
      details: { server: named === 'SERVER' ? server : named },
    });
  });
});

describe('a large response', () => {
  const WAYS = [
    ['a call', (client: BerthClient) => client.api.platform.ping.query()],
    ['a request', async (client: BerthClient) => (await client.request('ping')).text()],
  ] as const;

  test.each(WAYS)('to %s is rejected after 16 MiB', async (_, call) => {
    const sentBody = { bytes: 0 };
    const server = await startAnswering((_req, res) => answerEndlessly(res.writeHead(200, JSON_TYPE), ' ', sentBody));
    expect(await failureOf(call(createClient({ server })))).toMatchObject({
      kind: 'server',
      message: expect.stringContaining('is too large: a response must have at most 16,777,216 bytes'),
    });
    expect(sentBody.bytes).toBeLessThan(32 * 1024 ** 2);
  });

  test.each(WAYS)('to %s is rejected even if it is compressed', async (_, call) => {
    const bomb = gzipSync(Buffer.alloc(ENDLESS_BYTES, ' '));
    const server = await startAnswering(
      (_req, res) => void res.writeHead(200, { ...JSON_TYPE, 'Content-Encoding': 'gzip' }).end(bomb),
    );
    expect(await failureOf(call(createClient({ server })))).toMatchObject({
      message: expect.stringContaining('too large'),
    });
  });

  test.each(WAYS)('to %s is reported by its status if it is an error, and read up to 64 KiB', async (_, call) => {
    const sentBody = { bytes: 0 };
    const server = await startAnswering((_req, res) => answerEndlessly(res.writeHead(503, JSON_TYPE), ' ', sentBody));
    expect(await failureOf(call(createClient({ server })))).toMatchObject({ kind: 'unavailable', status: 503 });
    expect(sentBody.bytes).toBeLessThan(16 * 1024 ** 2);
  });

  test.each(WAYS)('to %s is accepted if it has less than 16 MiB', async (_, call) => {
    const server = await startAnswering((_req, res) => {
      res.writeHead(200, JSON_TYPE).end(`{"result":{"data":"${'x'.repeat(16 * 1024 ** 2 - 100)}"}}`);
    });
    expect(JSON.stringify(await call(createClient({ server }))).length).toBeGreaterThan(16_000_000);
  });
});

test.each([['-5'], ['soon'], ['Infinity'], ['NaN']])('the invalid header Retry-After: %s is ignored', async (value) => {
  const server = await startAnswering((_req, res) => void res.writeHead(503, { 'Retry-After': value }).end());
  expect(await failureOf(createClient({ server }).request('ping'))).toMatchObject({ retryAfterSeconds: null });
});

test('parseWebAddress accepts only http and https without a user name or password', () => {
  for (const text of ['http://a', 'https://a.example:8443/b?c#d', 'HTTPS://A.example'])
    expect(parseWebAddress(text)?.href).toBe(new URL(text).href);
  for (const text of ['ftp://a', 'https://a@b', 'https://:b@c', 'a.example', 'data:text/html,x', 'http:'])
    expect(parseWebAddress(text)).toBeNull();
});
