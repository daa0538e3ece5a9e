import { ERROR_STATUS, ErrorBody, type ErrorCode } from '@berth/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CRASH, listen, type SampleApi, waiting } from './sample-api.ts';

const JSON_TYPE = { 'Content-Type': 'application/json' };
const MAX = 1024 ** 2;

let api: SampleApi;
beforeAll(async () => void (api = await listen()));
afterAll(() => api.close());

/** Sends a request. Redirects are not followed. */
async function fetchPath(path: string, init: RequestInit = {}) {
  const response = await fetch(api.url + path, { redirect: 'manual', ...init });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: text && JSON.parse(text) };
}
const patch = (body: string | Buffer, headers: Record<string, string> = JSON_TYPE) =>
  fetchPath('/things/a', { method: 'PATCH', body, headers });

/** Checks that an answer has the one error body and the status of its code, and is readable from every origin. */
function expectError({ status, headers, body }: Awaited<ReturnType<typeof fetchPath>>, code: ErrorCode): ErrorBody {
  expect(body).toMatchObject({ error: code, status: ERROR_STATUS[code] });
  expect(status).toBe(ERROR_STATUS[code]);
  expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(headers.get('x-request-id')).toBeTruthy();
  expect(headers.get('access-control-allow-origin')).toBe('*');
  return ErrorBody.parse(body);
}

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
    expectError(await fetchPath('/old', { headers: { Authorization: 'Bearer bad' } }), 'authentication_failed');
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

  const noPageSizes = ['', '0', '-1', '%2b5', '%205', '5%20', '%00', '1.5', '1e1', '0x10', '1,2', 'ten', '%D9%A5'];
  it.each(noPageSizes)('T23: ?limit=%s is not a valid page size', async (limit) => {
    expect(expectError(await fetchPath(`/things?limit=${limit}`), 'validation_failed').details).toMatchObject({
      issues: [{ path: 'limit' }],
    });
  });

  it.each(['archived=1', 'archived=TRUE', 'archived=', 'ratio=1e9', 'ratio=Infinity', 'ratio=.5', 'sizes=1&sizes=x'])(
    'T23: ?%s is refused',
    async (query) => {
      expectError(await fetchPath(`/things?${query}`), 'validation_failed');
    },
  );

  it('a parameter that may be given once is 400 when given twice, and the message names it', async () => {
    const { message, details } = expectError(await fetchPath('/things?q=1&q=2'), 'validation_failed');
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
    const { body } = await api.ask(`GET /things/${segment} HTTP/1.1`);
    expect(JSON.parse(Buffer.from(body, 'latin1').toString())).toEqual({ input: { thing } });
  });

  it.each(['%', '%zz', '%C3', '%ff'])('F6: the invalid escape %s in a path is 400', async (segment) => {
    expectError(await fetchPath(`/things/${segment}`), 'validation_failed');
  });

  it('neither the query nor the body can name a different resource than the path', async () => {
    expect((await fetchPath('/things/a?thing=b')).body).toEqual({ input: { thing: 'a' } });
    expect((await patch('{"thing":"b","labels":[]}')).body).toEqual({ input: { thing: 'a', labels: [] } });
  });

  it('a fixed path takes precedence over a path with a variable', async () => {
    expect((await fetchPath('/things/latest')).body).toEqual({ input: 'the latest' });
  });

  it('F6: after REST calls that converted texts to numbers, a body still cannot send a number as a text', async () => {
    expect((await fetchPath('/things?limit=3')).status).toBe(200);
    expectError(await patch('{"labels":[],"count":"3"}'), 'validation_failed');
    const typed = await fetchPath(`/trpc/things.list?input=${encodeURIComponent('{"limit":"3"}')}`);
    expect([typed.status, typed.body.error.data.error]).toEqual([400, 'validation_failed']);
  });
});

describe('REST errors', () => {
  const refusal = (code: string, body = {}) =>
    fetchPath(`/refusals/${code}`, { method: 'POST', body: JSON.stringify(body), headers: JSON_TYPE });

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
    const { message } = expectError(await refusal('forbidden'), 'forbidden');
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
    ['/crash', {}],
    ['/misfit', {}],
    ['/things', { Authorization: 'Bearer crash' }],
  ])(
    'F7: %s %o: an unexpected error sends the client only its request id, and logs its cause once',
    async (path, headers) => {
      const lines = api.lines.length;
      const answer = await fetchPath(path, { headers });
      const body = expectError(answer, 'internal_server_error');
      const requestId = answer.headers.get('x-request-id');
      expect(body.details).toEqual({ requestId });
      expect(answer.text).not.toMatch(/postgres|hunter2|SELECT|srv|\.ts|expected/i);
      expect(api.lines.slice(lines)).toMatchObject([{ level: 'error', fields: { requestId, err: expect.any(Error) } }]);
    },
  );

  it('F7: a deliberate internal error reveals as little as an unexpected one', async () => {
    const { message } = expectError(await refusal('internal_server_error'), 'internal_server_error');
    expect(message).toBe((await fetchPath('/crash')).body.message);
  });

  it('F7: the log contains the underlying cause', async () => {
    await fetchPath('/crash');
    expect(api.lines.at(-1)?.fields).toMatchObject({ err: { message: CRASH }, operation: 'things.crash' });
  });
});

describe('REST bodies', () => {
  it('F5: a body without a type is 400', async () => {
    const headers = ['Host: x', 'Content-Length: 13'];
    expect((await api.ask('PATCH /things/a HTTP/1.1', headers, '{"labels":[]}')).status).toBe(400);
  });

  it('T23: bytes that are not UTF-8 are 400', async () => {
    const answer = await patch(Buffer.from('{"labels":["\xff"]}', 'latin1'));
    expect(expectError(answer, 'validation_failed').message).toContain('UTF-8');
  });

  it.each(['gzip', 'deflate', 'br', 'gzip, identity'])('T4: Content-Encoding: %s is 400', async (encoding) => {
    expectError(await patch('{"labels":[]}', { ...JSON_TYPE, 'Content-Encoding': encoding }), 'validation_failed');
  });

  it('a POST without a body gets the empty object as its input', async () => {
    expect((await fetchPath('/things/check', { method: 'POST' })).body).toEqual({ input: {} });
    expectError(await fetchPath('/things/a', { method: 'PATCH' }), 'validation_failed');
  });

  it('a body is read once for all the schemas that validate it', async () => {
    const init = { method: 'POST', body: '{"name":"x","count":7}', headers: JSON_TYPE };
    expect((await fetchPath('/things/check', init)).body).toEqual({ input: { name: 'x', count: 7 } });
  });

  it('T23: __proto__ and constructor are ordinary keys without side effects', async () => {
    const { status, body } = await patch(
      '{"labels":["a"],"labels":[],"__proto__":{"count":7},"constructor":{"prototype":{"count":7}}}',
    );
    expect([status, body]).toEqual([200, { input: { thing: 'a', labels: [] } }]);
    expect(({} as { count?: number }).count).toBeUndefined();
  });

  it.each(['{"$ne":null}', '{"toString":1}'])('T23: an object %s in place of a text is 400', async (value) => {
    expectError(await patch(`{"labels":[${value}]}`), 'validation_failed');
  });

  it('T23: eight levels are accepted, nine are refused', async () => {
    const nested = (levels: number) =>
      `{"labels":[],"deep":${'['.repeat(levels - 1)}"[[[[[[[[[[\\"[["${']'.repeat(levels - 1)}}`;
    expect((await patch(nested(8))).status).toBe(200);
    expect(expectError(await patch(nested(9)), 'validation_failed').message).toContain('nested');
  });

  it.each([
    ['arrays', '['.repeat(80_000)],
    ['objects', '{"a":'.repeat(80_000)],
    ['closed arrays', `{"labels":[],"deep":${'['.repeat(80_000)}${']'.repeat(80_000)}}`],
  ])('T23: JSON 80,000 %s deep is 400 and does not crash the server', async (_kind, body) => {
    expectError(await patch(body), 'validation_failed');
  });

  const sized = (bytes: number) => `{"labels":["${'x'.repeat(bytes - 15)}"]}`;

  it('api §2: a body of 1 MiB is accepted, one byte more is 413', async () => {
    expect(sized(MAX).length).toBe(MAX);
    expect((await patch(sized(MAX))).status).toBe(200);
    const { details } = expectError(await patch(sized(MAX + 1)), 'payload_too_large');
    expect(details).toEqual({ limit: 'body', max: MAX });
  });

  it('api §2: a body of unknown length is 413 as soon as it is too large, and the connection can be used again', async () => {
    const chunks = async function* () {
      for (let sent = 0; sent < 3 * MAX; sent += 65_536) yield new Uint8Array(65_536).fill(0x20);
    };
    const init = {
      method: 'PATCH',
      body: ReadableStream.from(chunks()),
      duplex: 'half',
      headers: JSON_TYPE,
    } as RequestInit;
    expectError(await fetchPath('/things/a', init), 'payload_too_large');
    expect((await fetchPath('/things')).status).toBe(200);
  });

  it('GET and DELETE ignore a body', async () => {
    for (const method of ['GET', 'DELETE']) {
      const { status, body } = await api.ask(`${method} /things/a HTTP/1.1`, ['Host: x', 'Content-Length: 3'], '{"x');
      expect([200, 202]).toContain(status);
      expect(JSON.parse(body)).toEqual({ input: { thing: 'a' } });
    }
  });

  it('api §5: an invalid credential is 401 before the body is read', async () => {
    const answer = await patch('{', { 'Content-Type': 'text/plain', Authorization: 'Bearer bad' });
    expectError(answer, 'authentication_failed');
  });
});
