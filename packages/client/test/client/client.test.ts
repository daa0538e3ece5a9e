import { describe, expect, test } from 'vitest';
import { OWNER_KEY } from '@berth/api/testing';
import { createClient } from '../../src/client.ts';
import { ClientError } from '../../src/errors.ts';
import { nobodyListens, startAnswering } from './answers.ts';
import { useServer } from '@berth/api/testing/vitest';

/** What a call throws. */
async function failureOf(work: Promise<unknown>): Promise<ClientError> {
  const thrown = await work.then(
    () => null,
    (error: unknown) => error,
  );
  if (thrown instanceof ClientError) return thrown;
  throw new Error('no ClientError was thrown', { cause: thrown });
}

describe('a client of a real server', () => {
  const server = useServer();
  const clientAs = (key: string | null) => createClient({ server: `http://localhost:${server().port}`, key });

  test('calls procedures and routes with its key', async () => {
    const client = clientAs(OWNER_KEY);
    expect(await client.api.account.get.query()).toMatchObject({ email: 'owner@localhost' });
    const answer = await client.request('account');
    expect(await answer.json()).toMatchObject({ email: 'owner@localhost' });
  });

  const REFUSALS = [
    ['a key that is not taken', `ship-${'f'.repeat(32)}`, 'account', 'signed-out', 'authentication_failed', 401],
    ['no key where one is needed', null, 'account', 'signed-out', 'authentication_failed', 401],
    ['what is not there', OWNER_KEY, 'deployments/calm-otter-0000000', 'refused', 'not_found', 404],
  ] as const;
  test.each(REFUSALS)(
    'fails in one way for %s, whichever face refuses it',
    async (_, key, path, kind, code, status) => {
      const client = clientAs(key);
      const call =
        path === 'account'
          ? client.api.account.get.query()
          : client.api.deployments.get.query({ deployment: 'calm-otter-0000000' });
      for (const failure of [await failureOf(call), await failureOf(client.request(path))])
        expect(failure).toMatchObject({ kind, code, status, message: expect.stringMatching(/\.$/) });
    },
  );

  test('tells the details of a refusal', async () => {
    const failure = await failureOf(clientAs(OWNER_KEY).api.domains.put.mutate({ domain: 'www' }));
    expect(failure).toMatchObject({ kind: 'refused', status: 400, details: { issues: [{ path: 'domain' }] } });
  });
});

const body = (error: string, status: number, details = {}) =>
  JSON.stringify({ error, message: 'So it is.', status, details });
const ANSWERS = [
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

describe.each(ANSWERS)('an answer %i %s', (status, text, headers, expected) => {
  test('is the same error of a call and of a request', async () => {
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

describe('no answer', () => {
  test('is a fault of the network, which names the server and what is wrong', async () => {
    const client = createClient({ server: await nobodyListens() });
    for (const call of [() => client.request('ping'), () => client.api.platform.ping.query()])
      expect(await failureOf(call())).toMatchObject({
        kind: 'network',
        status: null,
        message: expect.stringMatching(/^127\.0\.0\.1:\d+ cannot be reached: .*ECONNREFUSED/),
      });
  });

  test('that breaks off is one too', async () => {
    const server = await startAnswering((_req, res) => {
      res.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': '100' });
      res.write('{"result":', () => res.destroy());
    });
    expect(await failureOf(createClient({ server }).api.platform.ping.query())).toMatchObject({ kind: 'network' });
  });

  test('that nobody understands is a fault of the server', async () => {
    const server = await startAnswering((_req, res) => void res.end('<h1>Welcome to nginx</h1>'));
    expect(await failureOf(createClient({ server }).api.platform.ping.query())).toMatchObject({ kind: 'server' });
  });

  const WAYS = [
    ['at once', () => AbortSignal.abort()],
    ['meanwhile', () => AbortSignal.timeout(20)],
    ['for a reason of its own', () => AbortSignal.abort(new Error('enough'))],
  ] as const;
  test.each(WAYS)('because the caller gave up %s is not a fault', async (_, signal) => {
    const client = createClient({ server: await startAnswering(() => {}) });
    for (const call of [
      () => client.request('x', { signal: signal() }),
      () => client.api.platform.ping.query(undefined, { signal: signal() }),
    ])
      expect(await failureOf(call())).toMatchObject({ kind: 'aborted' });
  });
});

describe('an address', () => {
  test.each(['', 'berth.example', 'localhost:4000', 'ftp://berth.example', '/tmp'])('"%s" is none', (server) => {
    expect(() => createClient({ server })).toThrow(expect.objectContaining({ kind: 'refused' }));
  });

  test('may have a path, below which everything is asked', async () => {
    const asked: (string | undefined)[] = [];
    const server = await startAnswering((req, res) => {
      asked.push(req.url);
      res.writeHead(200, { 'Content-Type': 'application/json' }).end('{"result":{"data":{"timestamp":1}}}');
    });
    const client = createClient({ server: `${server}/berth?x#y` });
    await client.request('ping');
    await client.api.platform.ping.query();
    expect(asked).toEqual(['/berth/ping', '/berth/trpc/platform.ping']);
  });
});
