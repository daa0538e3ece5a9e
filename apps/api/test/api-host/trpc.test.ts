import { ERROR_STATUS, ErrorBody, type ErrorCode } from '@berth/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MAX_BATCH_CALLS } from '../../src/api-host/trpc-calls.ts';
import { CRASH, listen, type SampleApi } from './sample-api.ts';

const JSON_TYPE = { 'Content-Type': 'application/json' };
const MAX_BYTES = 1024 ** 2;

let api: SampleApi;
beforeAll(async () => void (api = await listen()));
afterAll(() => api.close());

async function callApi(path: string, init: RequestInit = {}) {
  const response = await fetch(`${api.url}/trpc/${path}`, init);
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: JSON.parse(text) };
}

const post = (path: string, body: string, headers: Record<string, string> = JSON_TYPE) =>
  callApi(path, { method: 'POST', body, headers });
const query = (input: unknown) => `input=${encodeURIComponent(JSON.stringify(input))}`;

/** Checks an error according to api §2: the error body is in `error.data`, and the status is the HTTP status. */
function expectError(
  { status, body, headers }: { status: number; body: unknown; headers: Headers },
  code: ErrorCode,
): ErrorBody {
  const { error } = body as { error: { message: string; code: number; data: ErrorBody & { httpStatus: number } } };
  expect(error.data).toMatchObject({ error: code, status: ERROR_STATUS[code], httpStatus: ERROR_STATUS[code] });
  expect(error.message).toBe(error.data.message);
  expect(status).toBe(ERROR_STATUS[code]);
  expectHeaders(headers);
  return ErrorBody.parse(error.data);
}

function expectHeaders(headers: Headers) {
  expect(headers.get('content-type')).toMatch(/^application\/json/);
  expect(headers.get('cache-control')).toBe('no-store');
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  expect(headers.get('access-control-allow-origin')).toBe('*');
  expect(headers.get('x-request-id')).toBeTruthy();
}

describe('tRPC calls', () => {
  it('send a query with GET and a mutation with POST', async () => {
    const queryResponse = await callApi(`things.get?${query({ thing: 'ä' })}`);
    expect([queryResponse.status, queryResponse.body]).toEqual([200, { result: { data: { input: { thing: 'ä' } } } }]);
    expectHeaders(queryResponse.headers);
    expect((await post('things.check', '{"name":"x"}')).body).toEqual({ result: { data: { input: { name: 'x' } } } });
  });

  it('F6: do not convert texts to other types', async () => {
    expectError(await callApi(`things.list?${query({ limit: '7' })}`), 'validation_failed');
    expectError(await callApi(`things.list?${query({ archived: 'false' })}`), 'validation_failed');
  });

  it(`F8: can be batched, at most ${MAX_BATCH_CALLS} in a batch, and the server counts each of them`, async () => {
    const batch = (size: number, comma: string) => callApi(`${Array(size).fill('things.unicode').join(comma)}?batch=1`);
    expect((await batch(MAX_BATCH_CALLS, ',')).body).toHaveLength(MAX_BATCH_CALLS);
    expect(api.calls.at(-1)).toBe(MAX_BATCH_CALLS);
    for (const comma of [',', '%2C', '%2c']) {
      const { message } = expectError(await batch(MAX_BATCH_CALLS + 1, comma), 'validation_failed');
      expect(message).toContain(`${MAX_BATCH_CALLS}`);
    }
    expect(api.calls.at(-1)).toBe(MAX_BATCH_CALLS);
  });

  it('in a batch succeed or fail independently, and the batch gets status 207', async () => {
    const { status, body } = await callApi('things.unicode,things.crash,things.nothing?batch=1');
    expect(status).toBe(207);
    expect(body.map((call: { error?: { data: ErrorBody } }) => call.error?.data.status ?? 200)).toEqual([
      200, 500, 404,
    ]);
  });
});

describe('tRPC errors', () => {
  it.each(Object.keys(ERROR_STATUS) as ErrorCode[])(
    'api §2: have the same status, body and headers for %s as over REST',
    async (code) => {
      const trpcResponse = await post('things.refuse', JSON.stringify({ code, retryAfter: 9 }));
      const body = expectError(trpcResponse, code);
      const requestInit = { method: 'POST', body: '{"retryAfter":9}', headers: JSON_TYPE };
      const restResponse = await fetch(`${api.url}/refusals/${code}`, requestInit);
      const ownId =
        code === 'internal_server_error' ? { details: { requestId: restResponse.headers.get('x-request-id') } } : {};
      expect({ ...body, ...ownId }).toEqual(await restResponse.json());
      for (const name of ['retry-after', 'www-authenticate'])
        expect(trpcResponse.headers.get(name)).toBe(restResponse.headers.get(name));
    },
  );

  it.each(['things.nothing', 'things', '__proto__', 'things.__proto__', '_def', 'things.list.toString', '%00'])(
    'report 404 for %s, which is not a procedure',
    async (path) => {
      expectError(await callApi(path), 'not_found');
    },
  );

  it('api §2: list the issues of an input by their path', async () => {
    const { details } = expectError(
      await callApi(`things.list?${query({ limit: 0, labels: [7] })}`),
      'validation_failed',
    );
    expect(details).toMatchObject({ issues: [{ path: 'limit' }, { path: 'labels.0' }] });
  });

  it.each([
    ['GET', 'things.check', 'POST'],
    ['POST', 'things.list', 'GET'],
    ['PUT', 'things.check', 'GET, POST, OPTIONS'],
    ['DELETE', 'things.list', 'GET, POST, OPTIONS'],
    ['TRACE', 'things.list', 'GET, POST, OPTIONS'],
    ['PROPFIND', 'things.list', 'GET, POST, OPTIONS'],
  ])('api §2: report 405 with Allow for the method %s on %s', async (method, path, allow) => {
    const response = await api.rawRequest(`${method} /trpc/${path} HTTP/1.1`, [
      'Host: x',
      'Content-Type: application/json',
    ]);
    expect(response).toMatchObject({ status: 405, headers: { allow } });
    expect(response.body).toContain('"error":"method_not_allowed"');
  });

  it.each(['{', '{"a"', 'nothing', '"'])('api §2: report 400 for malformed JSON such as %j', async (text) => {
    for (const response of [
      await post('things.check', text),
      await callApi(`things.get?input=${encodeURIComponent(text)}`),
    ])
      expect(expectError(response, 'validation_failed').message).toContain('JSON');
  });

  it.each(['text/plain', 'multipart/form-data; boundary=x', 'application/octet-stream'])(
    'F5: report 400 for a body of type %s',
    async (type) => {
      const response = await post('things.check', '{}', { 'Content-Type': type });
      expect(expectError(response, 'validation_failed').message).toContain('application/json');
    },
  );

  it('F5: report 400 for a POST without body and type', async () => {
    expectError(await callApi('things.check', { method: 'POST' }), 'validation_failed');
  });

  it.each(['[]', '7', 'null'])('report 400 for a batch whose inputs are %s', async (text) => {
    const { status, body } = await post('things.check?batch=1', text);
    expect([status, body[0].error.data.error]).toEqual([400, 'validation_failed']);
  });

  it('F8: report 413 and the maximum for a body of more than 1 MiB', async () => {
    const { details } = expectError(
      await post('things.check', `{"name":"${'x'.repeat(MAX_BYTES)}"}`),
      'payload_too_large',
    );
    expect(details).toEqual({ limit: 'body', max: MAX_BYTES });
  });

  it('T23: report 400 for JSON that is nested too deep; a batch may be one level deeper', async () => {
    expectError(await post('things.check', '['.repeat(80_000)), 'validation_failed');
    const nestedInput = (levels: number) => '{"a":'.repeat(levels) + '1' + '}'.repeat(levels);
    expect((await post('things.check', nestedInput(8))).status).toBe(200);
    expectError(await post('things.check', nestedInput(9)), 'validation_failed');
    expectError(await callApi(`things.list?input=${encodeURIComponent(nestedInput(9))}`), 'validation_failed');
    expect((await post('things.check?batch=1', `{"0":${nestedInput(8)}}`)).status).toBe(200);
    expectError(await post('things.check?batch=1', `{"0":${nestedInput(9)}}`), 'validation_failed');
  });

  it('api §5: report 401 for an invalid credential before the body is read', async () => {
    const response = await post('things.check', '{', { Authorization: 'Bearer bad' });
    expectError(response, 'authentication_failed');
    expect(response.headers.get('www-authenticate')).toBe('Bearer');
  });

  it.each([
    ['a query that throws', 'things.crash', {}],
    ['an output that its schema rejects', 'things.misfit', {}],
    ['a context that throws', 'things.list', { Authorization: 'Bearer crash' }],
  ])('F7: contain only the request id after %s, whose cause is logged once', async (_, path, headers) => {
    const logLength = api.lines.length;
    const response = await callApi(path, { headers });
    const requestId = response.headers.get('x-request-id');
    expect(expectError(response, 'internal_server_error').details).toEqual({ requestId });
    expect(response.text).not.toMatch(/postgres|hunter2|SELECT|srv|\.ts|expected/i);
    expect(api.lines.slice(logLength)).toMatchObject([
      { level: 'error', fields: { requestId, operation: path, err: expect.any(Error) } },
    ]);
  });

  it('F7: hide the cause of an exception in a batch and in a stream of responses', async () => {
    const response = await fetch(`${api.url}/trpc/things.crash,things.unicode?batch=1`, {
      headers: { 'trpc-accept': 'application/jsonl' },
    });
    const text = `${(await callApi('things.crash,things.unicode?batch=1')).text}${await response.text()}`;
    expect(text.match(/"internal_server_error"/g)).toHaveLength(2);
    expect(text).not.toContain(CRASH.slice(0, 20));
    expect(text).not.toMatch(/postgres|hunter2|SELECT|srv|stack/i);
  });

  it('F7, api §9: hide the cause of an exception in a subscription, whose response is not stored', async () => {
    const response = await fetch(`${api.url}/trpc/things.watch`);
    const text = await response.text();
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    expect(response.headers.get('cache-control')).toContain('no-store');
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    expect(text).toContain('data: "first"');
    expect(text).toContain('"error":"internal_server_error"');
    expect(text).not.toMatch(/postgres|hunter2|SELECT|srv|stack/i);
  });

  it.each(['a b', 'u:p@x', '[', 'x:99999999', '%', 'a@b'])(
    'T11: report 400 for the invalid Host %j, which does not crash the server',
    async (host) => {
      const { status, body } = await api.rawRequest('GET /trpc/things.list HTTP/1.1', [`Host: ${host}`]);
      expect([status, body]).toEqual([400, expect.stringContaining('"error":"validation_failed"')]);
    },
  );

  it.each([
    ['an invalid escape', '%zz'],
    ['bytes that are not UTF-8', '%ff'],
    ['a query together with a mutation', 'things.list,things.check?batch=1'],
    ['malformed connection parameters', 'things.list?connectionParams=x'],
  ])('api §2: report 400 with the error body for %s in the URL', async (_, path) => {
    expectError(await callApi(path), 'validation_failed');
  });
});
