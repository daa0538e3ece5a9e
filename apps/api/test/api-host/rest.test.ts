import { ERROR_STATUS, type ErrorCode } from '@berth/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { askRest, expectRestError, JSON_TYPE } from './rest-client.ts';
import { CRASH, listen, type SampleApi, waiting } from './sample-api.ts';

let api: SampleApi;
beforeAll(async () => void (api = await listen()));
afterAll(() => api.close());

const fetchPath = (path: string, init?: RequestInit) => askRest(api, path, init);
const patch = (body: string) => fetchPath('/things/a', { method: 'PATCH', body, headers: JSON_TYPE });

describe('REST answers', () => {
  it('api §2: are JSON that is not stored or sniffed, readable from every origin, without credentials', async () => {
    const { status, headers, body } = await fetchPath('/things');
    expect(status).toBe(200);
    expect(body).toEqual({ input: { limit: 50 } });
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'access-control-allow-origin': '*',
      'x-request-id': expect.stringMatching(/./),
    });
    expect(headers.has('access-control-allow-credentials')).toBe(false);
    expect(headers.has('etag')).toBe(false);
  });

  it('api §2: have the status from the metadata of the procedure', async () => {
    expect((await fetchPath('/things/a', { method: 'DELETE' })).status).toBe(202);
    expect((await fetchPath('/things/a', { method: 'PUT' })).status).toBe(201);
  });

  it('contain unicode, and have their length in bytes', async () => {
    const { headers, text, body } = await fetchPath('/unicode');
    expect(body).toEqual({ text: 'häfen ⚓ 港 \u2028 </script>' });
    expect(headers.get('content-length')).toBe(String(Buffer.byteLength(text)));
  });

  it('api §6: redirect with 301 and the address in header and body, without calling the procedure', async () => {
    const { status, headers, body } = await fetchPath('/old');
    expect([status, headers.get('location'), body]).toEqual([301, '/things', { location: '/things' }]);
    expectRestError(await fetchPath('/old', { headers: { Authorization: 'Bearer bad' } }), 'authentication_failed');
  });

  it('have the same headers for HEAD as for GET, and no body', async () => {
    const get = await fetchPath('/things/a');
    const head = await fetchPath('/things/a', { method: 'HEAD' });
    expect([head.status, head.text, head.headers.get('content-length')]).toEqual([
      200,
      '',
      get.headers.get('content-length'),
    ]);
    expect((await fetchPath('/crash', { method: 'HEAD' })).status).toBe(500);
  });

  it('abort the signal of the call when the client leaves, without logging an error', async () => {
    const client = new AbortController();
    const lines = api.lines.length;
    const left = expect(fetch(`${api.url}/wait`, { signal: client.signal })).rejects.toThrow();
    await waiting.started.promise;
    client.abort();
    await waiting.aborted.promise;
    await left;
    expect((await fetchPath('/things')).status).toBe(200);
    expect(api.lines.length).toBe(lines);
  });
});

describe('REST input from the URL', () => {
  it.each([
    ['limit=7', { limit: 7 }],
    ['limit=500', { limit: 100 }],
    ['archived=true', { limit: 50, archived: true }],
    ['archived=false', { limit: 50, archived: false }],
    ['ratio=-0.5', { limit: 50, ratio: -0.5 }],
    ['q=7', { limit: 50, q: '7' }],
    ['q=true', { limit: 50, q: 'true' }],
    ['q=', { limit: 50, q: '' }],
    ['q=a%26b+c%C3%A4', { limit: 50, q: 'a&b cä' }],
    ['labels=a', { limit: 50, labels: ['a'] }],
    ['labels=a&labels=b', { limit: 50, labels: ['a', 'b'] }],
    ['sizes=1&sizes=2', { limit: 50, sizes: [1, 2] }],
    ['unknown=1&unknown=2&__proto__=x&constructor=y', { limit: 50 }],
  ])('api §1: ?%s is read according to the type of each field', async (query, input) => {
    expect((await fetchPath(`/things?${query}`)).body).toEqual({ input });
  });

  it.each([
    '',
    '0',
    '-0',
    '-1',
    '+5',
    '%2b5',
    '%205',
    '5%20',
    '%20',
    '%00',
    '1.0',
    '1.5',
    '1e1',
    '0x10',
    '1,2',
    'ten',
    'NaN',
    'Infinity',
    'null',
    '[]',
    '%D9%A5',
  ])('T23: ?limit=%s is not a valid page size', async (limit) => {
    expect(expectRestError(await fetchPath(`/things?limit=${limit}`), 'validation_failed').details).toMatchObject({
      issues: [{ path: 'limit' }],
    });
  });

  it.each(['archived=1', 'archived=TRUE', 'archived=', 'ratio=1e9', 'ratio=Infinity', 'ratio=.5', 'sizes=1&sizes=x'])(
    'T23: ?%s is refused',
    async (query) => {
      expectRestError(await fetchPath(`/things?${query}`), 'validation_failed');
    },
  );

  it('a parameter that may be given once is 400 when given twice, and the message names it', async () => {
    const { message, details } = expectRestError(await fetchPath('/things?q=1&q=2'), 'validation_failed');
    expect(message).toContain('q');
    expect(details).toMatchObject({ issues: [{ path: 'q' }] });
  });

  it.each([
    ['calm-otter', 'calm-otter'],
    ['a%20b', 'a b'],
    ['a%2Fb', 'a/b'],
    ['a%252Fb', 'a%2Fb'],
    ['b%C3%BCcher.example', 'bücher.example'],
    ['A', 'A'],
    ['%2e%2e', '..'],
    ['7', '7'],
  ])('F6: the path segment %s is decoded once, to %s', async (segment, thing) => {
    const answer = await api.raw(`GET /things/${segment} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    expect(JSON.parse(answer.split('\r\n\r\n')[1]!)).toEqual({ input: { thing } });
  });

  it.each(['%', '%zz', '%C3', '%ff'])('F6: the invalid escape %s in a path is 400', async (segment) => {
    expectRestError(await fetchPath(`/things/${segment}`), 'validation_failed');
  });

  it('neither the query nor the body can name a different resource than the path', async () => {
    expect((await fetchPath('/things/a?thing=b')).body).toEqual({ input: { thing: 'a' } });
    expect((await patch('{"thing":"b","labels":[]}')).body).toEqual({ input: { thing: 'a', labels: [] } });
  });

  it('F6: after REST calls that converted texts to numbers, a body still cannot send a number as a text', async () => {
    expect((await fetchPath('/things?limit=3')).status).toBe(200);
    expectRestError(await patch('{"labels":[],"count":"3"}'), 'validation_failed');
    const typed = await fetchPath(`/trpc/things.list?input=${encodeURIComponent('{"limit":"3"}')}`);
    expect([typed.status, typed.body.error.data.error]).toEqual([400, 'validation_failed']);
  });
});

describe('REST routes', () => {
  it('a fixed path takes precedence over a path with a variable', async () => {
    expect((await fetchPath('/things/latest')).body).toEqual({ input: 'the latest' });
  });
});

describe('REST errors', () => {
  const refusal = (code: string, body = {}) =>
    fetchPath(`/refusals/${code}`, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: JSON_TYPE,
    });

  it.each(Object.keys(ERROR_STATUS) as ErrorCode[])('api §2: %s has its status and its tag', async (code) => {
    expectRestError(await refusal(code), code);
  });

  it('api §1, §2: 401 says how to authenticate; 429 and 503 say when to retry, in whole seconds', async () => {
    expect((await refusal('authentication_failed')).headers.get('www-authenticate')).toBe('Bearer');
    const limited = await refusal('rate_limit_exceeded', { retryAfter: 17 });
    expect([limited.headers.get('retry-after'), limited.body.details]).toEqual(['17', { retryAfter: 17 }]);
    expect((await refusal('rate_limit_exceeded')).headers.get('retry-after')).toBe('1');
    expect((await refusal('unavailable', { retryAfter: 0.2 })).headers.get('retry-after')).toBe('1');
    expect((await refusal('unavailable')).headers.get('retry-after')).toBe('5');
    expect((await refusal('forbidden')).headers.has('retry-after')).toBe(false);
  });

  it('T20: no message contains a credential or a claim hash; other text stays', async () => {
    const { message } = expectRestError(await refusal('forbidden'), 'forbidden');
    expect(message).toBe(`ship-[hidden] opened http://localhost:4000/claim/[hidden] and assets/${'e'.repeat(32)}.js`);
  });

  it('expected errors are not logged', async () => {
    const lines = api.lines.length;
    await refusal('forbidden');
    await fetchPath('/nowhere');
    await patch('{');
    expect(api.lines.length).toBe(lines);
  });

  it.each([
    ['GET', '/crash', undefined],
    ['GET', '/misfit', undefined],
    ['GET', '/things', 'Bearer crash'],
  ])(
    'F7: %s %s: an unexpected error sends the client only its request id, and logs its cause once',
    async (method, path, authorization) => {
      const lines = api.lines.length;
      const answer = await fetchPath(path, { method, headers: authorization ? { Authorization: authorization } : {} });
      const body = expectRestError(answer, 'internal_server_error');
      const requestId = answer.headers.get('x-request-id');
      expect(body.details).toEqual({ requestId });
      expect(answer.text).not.toMatch(/postgres|hunter2|SELECT|srv|\.ts|expected/i);
      const [line, ...more] = api.lines.slice(lines);
      expect(more).toEqual([]);
      expect(line).toMatchObject({ level: 'error', fields: { requestId, err: expect.any(Error) } });
    },
  );

  it('F7: a deliberate internal error reveals as little as an unexpected one', async () => {
    const { message } = expectRestError(await refusal('internal_server_error'), 'internal_server_error');
    expect(message).toBe((await fetchPath('/crash')).body.message);
  });

  it('F7: the log contains the underlying cause', async () => {
    await fetchPath('/crash');
    expect(api.lines.at(-1)?.fields.err?.message).toBe(CRASH);
    expect(api.lines.at(-1)?.fields.operation).toBe('things.crash');
  });
});
