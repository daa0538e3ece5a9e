import { ERROR_STATUS, ErrorBody, type ErrorCode } from '@berth/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CRASH, listen, type SampleApi, waitingCall } from './sample-api.ts';

const JSON_TYPE = { 'Content-Type': 'application/json' };
const MAX_BYTES = 1024 ** 2;

let api: SampleApi;
beforeAll(async () => void (api = await listen()));
afterAll(() => api.close());

/** Sends a request and reads the response. Redirects are not followed. */
async function fetchPath(path: string, request: RequestInit = {}) {
  const response = await fetch(api.url + path, { redirect: 'manual', ...request });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: text && JSON.parse(text) };
}
const sendPatch = (body: string | Buffer, headers: Record<string, string> = JSON_TYPE) =>
  fetchPath('/things/a', { method: 'PATCH', body, headers });

/** Checks that a response has the error body and status of a code, and that every origin may read the response. */
function expectError({ status, headers, body }: Awaited<ReturnType<typeof fetchPath>>, code: ErrorCode): ErrorBody {
  expect(body).toMatchObject({ error: code, status: ERROR_STATUS[code] });
  expect(status).toBe(ERROR_STATUS[code]);
  expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(headers.get('x-request-id')).toBeTruthy();
  expect(headers.get('access-control-allow-origin')).toBe('*');
  return ErrorBody.parse(body);
}

describe('REST responses', () => {
  it('api §2: are JSON that is neither stored nor sniffed, and that every origin can read without credentials', async () => {
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

  it('api §2: have the status that the metadata of the procedure defines', async () => {
    expect((await fetchPath('/things/a', { method: 'DELETE' })).status).toBe(202);
    expect((await fetchPath('/things/a', { method: 'PUT' })).status).toBe(201);
  });

  it('can contain Unicode, and declare their length in bytes', async () => {
    const { headers, text, body } = await fetchPath('/unicode');
    expect(body).toEqual({ text: 'häfen ⚓ 港 \u2028 </script>' });
    expect(headers.get('content-length')).toBe(String(Buffer.byteLength(text)));
  });

  it('api §6: redirect with 301 and the target in header and body, without calling the procedure', async () => {
    const { status, headers, body } = await fetchPath('/old');
    expect([status, headers.get('location'), body]).toEqual([301, '/things', { location: '/things' }]);
    expectError(await fetchPath('/old', { headers: { Authorization: 'Bearer bad' } }), 'authentication_failed');
  });

  it('have the same headers for HEAD as for GET, and no body', async () => {
    const getResponse = await fetchPath('/things/a');
    const headResponse = await fetchPath('/things/a', { method: 'HEAD' });
    expect([headResponse.status, headResponse.text, headResponse.headers.get('content-length')]).toEqual([
      200,
      '',
      getResponse.headers.get('content-length'),
    ]);
    expect((await fetchPath('/crash', { method: 'HEAD' })).status).toBe(500);
  });

  it('are cancelled with their procedure, without an error in the log, when the client leaves', async () => {
    const client = new AbortController();
    const logLength = api.lines.length;
    const request = expect(fetch(`${api.url}/wait`, { signal: client.signal })).rejects.toThrow();
    await waitingCall.started.promise;
    client.abort();
    await waitingCall.aborted.promise;
    await request;
    expect((await fetchPath('/things')).status).toBe(200);
    expect(api.lines.length).toBe(logLength);
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
  ])('api §1: is read from ?%s according to the type of each field', async (query, input) => {
    expect((await fetchPath(`/things?${query}`)).body).toEqual({ input });
  });

  const invalidLimits = ['', '0', '-1', '%2b5', '%205', '5%20', '%00', '1.5', '1e1', '0x10', '1,2', 'ten', '%D9%A5'];
  it.each(invalidLimits)('T23: is refused with ?limit=%s, which is not a page size', async (limit) => {
    expect(expectError(await fetchPath(`/things?limit=${limit}`), 'validation_failed').details).toMatchObject({
      issues: [{ path: 'limit' }],
    });
  });

  it.each(['archived=1', 'archived=TRUE', 'archived=', 'ratio=1e9', 'ratio=Infinity', 'ratio=.5', 'sizes=1&sizes=x'])(
    'T23: is refused with ?%s, whose value has the wrong type',
    async (query) => {
      expectError(await fetchPath(`/things?${query}`), 'validation_failed');
    },
  );

  it('is refused if a parameter occurs twice, and the message names the parameter', async () => {
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
  ])('F6: contains the path segment %s decoded once, as %s', async (segment, thing) => {
    const { body } = await api.rawRequest(`GET /things/${segment} HTTP/1.1`);
    expect(JSON.parse(Buffer.from(body, 'latin1').toString())).toEqual({ input: { thing } });
  });

  it.each(['%', '%zz', '%C3', '%ff'])('F6: is refused if a path contains the invalid escape %s', async (segment) => {
    expectError(await fetchPath(`/things/${segment}`), 'validation_failed');
  });

  it('takes a path variable only from the path, even if the query or the body has a field of the same name', async () => {
    expect((await fetchPath('/things/a?thing=b')).body).toEqual({ input: { thing: 'a' } });
    expect((await sendPatch('{"thing":"b","labels":[]}')).body).toEqual({ input: { thing: 'a', labels: [] } });
  });

  it('contains no path variable if a fixed path also matches', async () => {
    expect((await fetchPath('/things/latest')).body).toEqual({ input: 'the latest' });
  });

  it('F6: is converted to numbers, but a number that a body contains as text is refused', async () => {
    expect((await fetchPath('/things?limit=3')).status).toBe(200);
    expectError(await sendPatch('{"labels":[],"count":"3"}'), 'validation_failed');
    const trpcResponse = await fetchPath(`/trpc/things.list?input=${encodeURIComponent('{"limit":"3"}')}`);
    expect([trpcResponse.status, trpcResponse.body.error.data.error]).toEqual([400, 'validation_failed']);
  });
});

describe('REST errors', () => {
  const requestError = (code: string, body = {}) =>
    fetchPath(`/refusals/${code}`, { method: 'POST', body: JSON.stringify(body), headers: JSON_TYPE });

  it('api §1, §2: say how to authenticate (401) and after how many seconds to retry (429, 503)', async () => {
    expect((await requestError('authentication_failed')).headers.get('www-authenticate')).toBe('Bearer');
    const limited = await requestError('rate_limit_exceeded', { retryAfter: 17 });
    expect([limited.headers.get('retry-after'), limited.body.details]).toEqual(['17', { retryAfter: 17 }]);
    expect((await requestError('rate_limit_exceeded')).headers.get('retry-after')).toBe('1');
    expect((await requestError('unavailable', { retryAfter: 0.2 })).headers.get('retry-after')).toBe('1');
    expect((await requestError('unavailable')).headers.get('retry-after')).toBe('5');
    expect((await requestError('forbidden')).headers.has('retry-after')).toBe(false);
  });

  it('T20: hide credentials and claim hashes in messages, and keep all other text', async () => {
    const { message } = expectError(await requestError('forbidden'), 'forbidden');
    expect(message).toBe(`ship-[hidden] opened http://localhost:4000/claim/[hidden] and assets/${'e'.repeat(32)}.js`);
  });

  it('are not logged if they are expected', async () => {
    const logLength = api.lines.length;
    await requestError('forbidden');
    await fetchPath('/nowhere');
    await sendPatch('{');
    expect(api.lines.length).toBe(logLength);
  });

  it.each([
    ['/crash', {}],
    ['/misfit', {}],
    ['/things', { Authorization: 'Bearer crash' }],
  ])(
    'F7: contain only the request id after an unexpected error at %s with the headers %o, which is logged once',
    async (path, headers) => {
      const logLength = api.lines.length;
      const response = await fetchPath(path, { headers });
      const body = expectError(response, 'internal_server_error');
      const requestId = response.headers.get('x-request-id');
      expect(body.details).toEqual({ requestId });
      expect(response.text).not.toMatch(/postgres|hunter2|SELECT|srv|\.ts|expected/i);
      expect(api.lines.slice(logLength)).toMatchObject([
        { level: 'error', fields: { requestId, err: expect.any(Error) } },
      ]);
    },
  );

  it('F7: reveal no more for a deliberate internal error than for an unexpected error', async () => {
    const { message } = expectError(await requestError('internal_server_error'), 'internal_server_error');
    expect(message).toBe((await fetchPath('/crash')).body.message);
  });

  it('F7: are logged with the underlying cause', async () => {
    await fetchPath('/crash');
    expect(api.lines.at(-1)?.fields).toMatchObject({ err: { message: CRASH }, operation: 'things.crash' });
  });
});

describe('REST bodies', () => {
  it('F5: are refused without a Content-Type', async () => {
    const headers = ['Host: x', 'Content-Length: 13'];
    expect((await api.rawRequest('PATCH /things/a HTTP/1.1', headers, '{"labels":[]}')).status).toBe(400);
  });

  it('T23: are refused if their bytes are not UTF-8', async () => {
    const response = await sendPatch(Buffer.from('{"labels":["\xff"]}', 'latin1'));
    expect(expectError(response, 'validation_failed').message).toContain('UTF-8');
  });

  it.each(['gzip', 'deflate', 'br', 'gzip, identity'])(
    'T4: are refused with Content-Encoding: %s',
    async (encoding) => {
      expectError(
        await sendPatch('{"labels":[]}', { ...JSON_TYPE, 'Content-Encoding': encoding }),
        'validation_failed',
      );
    },
  );

  it('can be absent from a POST, whose input is then the empty object', async () => {
    expect((await fetchPath('/things/check', { method: 'POST' })).body).toEqual({ input: {} });
    expectError(await fetchPath('/things/a', { method: 'PATCH' }), 'validation_failed');
  });

  it('are read once and validated by every schema of the procedure', async () => {
    const request = { method: 'POST', body: '{"name":"x","count":7}', headers: JSON_TYPE };
    expect((await fetchPath('/things/check', request)).body).toEqual({ input: { name: 'x', count: 7 } });
  });

  it('T23: can contain __proto__ and constructor as ordinary keys without side effects', async () => {
    const { status, body } = await sendPatch(
      '{"labels":["a"],"labels":[],"__proto__":{"count":7},"constructor":{"prototype":{"count":7}}}',
    );
    expect([status, body]).toEqual([200, { input: { thing: 'a', labels: [] } }]);
    expect(({} as { count?: number }).count).toBeUndefined();
  });

  it.each(['{"$ne":null}', '{"toString":1}'])(
    'T23: are refused if they contain the object %s where a text is required',
    async (value) => {
      expectError(await sendPatch(`{"labels":[${value}]}`), 'validation_failed');
    },
  );

  it('T23: may be nested eight levels deep, but not nine', async () => {
    const nestedBody = (levels: number) =>
      `{"labels":[],"deep":${'['.repeat(levels - 1)}"[[[[[[[[[[\\"[["${']'.repeat(levels - 1)}}`;
    expect((await sendPatch(nestedBody(8))).status).toBe(200);
    expect(expectError(await sendPatch(nestedBody(9)), 'validation_failed').message).toContain('nested');
  });

  it.each([
    ['arrays', '['.repeat(80_000)],
    ['objects', '{"a":'.repeat(80_000)],
    ['closed arrays', `{"labels":[],"deep":${'['.repeat(80_000)}${']'.repeat(80_000)}}`],
  ])('T23: with %s nested 80,000 deep are refused and do not crash the server', async (_kind, body) => {
    expectError(await sendPatch(body), 'validation_failed');
  });

  const bodyOfSize = (bytes: number) => `{"labels":["${'x'.repeat(bytes - 15)}"]}`;

  it('api §2: are accepted with 1 MiB, and refused with 413 with one byte more', async () => {
    expect(bodyOfSize(MAX_BYTES).length).toBe(MAX_BYTES);
    expect((await sendPatch(bodyOfSize(MAX_BYTES))).status).toBe(200);
    const { details } = expectError(await sendPatch(bodyOfSize(MAX_BYTES + 1)), 'payload_too_large');
    expect(details).toEqual({ limit: 'body', max: MAX_BYTES });
  });

  it('api §2: of unknown length are refused with 413 once they are too large, and the server stays available', async () => {
    const chunks = async function* () {
      for (let sentBytes = 0; sentBytes < 3 * MAX_BYTES; sentBytes += 65_536) yield new Uint8Array(65_536).fill(0x20);
    };
    const request = {
      method: 'PATCH',
      body: ReadableStream.from(chunks()),
      duplex: 'half',
      headers: JSON_TYPE,
    } as RequestInit;
    expectError(await fetchPath('/things/a', request), 'payload_too_large');
    expect((await fetchPath('/things')).status).toBe(200);
  });

  it('are ignored by GET and DELETE', async () => {
    for (const method of ['GET', 'DELETE']) {
      const { status, body } = await api.rawRequest(
        `${method} /things/a HTTP/1.1`,
        ['Host: x', 'Content-Length: 3'],
        '{"x',
      );
      expect([200, 202]).toContain(status);
      expect(JSON.parse(body)).toEqual({ input: { thing: 'a' } });
    }
  });

  it('api §5: are not read before an invalid credential is refused with 401', async () => {
    const response = await sendPatch('{', { 'Content-Type': 'text/plain', Authorization: 'Bearer bad' });
    expectError(response, 'authentication_failed');
  });
});
