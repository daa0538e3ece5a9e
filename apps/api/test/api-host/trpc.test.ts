import { ERROR_STATUS, ErrorBody, type ErrorCode } from '@berth/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MAX_BATCH_CALLS } from '../../src/api-host/trpc-calls.ts';
import { CRASH, listen, type SampleApi } from './sample-api.ts';

const JSON_TYPE = { 'Content-Type': 'application/json' };
const MAX = 1024 ** 2;

let api: SampleApi;
beforeAll(async () => void (api = await listen()));
afterAll(() => api.close());

async function call(path: string, init: RequestInit = {}) {
  const response = await fetch(`${api.url}/trpc/${path}`, init);
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: JSON.parse(text) };
}

const post = (path: string, body: string, headers: Record<string, string> = JSON_TYPE) =>
  call(path, { method: 'POST', body, headers });
const query = (input: unknown) => `input=${encodeURIComponent(JSON.stringify(input))}`;

/**
 * Checks an error according to api §2: the error body under `error.data`, and the status both in it and on the
 * wire.
 */
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
    const read = await call(`things.get?${query({ thing: 'ä' })}`);
    expect([read.status, read.body]).toEqual([200, { result: { data: { input: { thing: 'ä' } } } }]);
    expectHeaders(read.headers);
    expect((await post('things.check', '{"name":"x"}')).body).toEqual({ result: { data: { input: { name: 'x' } } } });
  });

  it('F6: do not coerce values', async () => {
    expectError(await call(`things.list?${query({ limit: '7' })}`), 'validation_failed');
    expectError(await call(`things.list?${query({ archived: 'false' })}`), 'validation_failed');
  });

  it(`F8: can be batched, at most ${MAX_BATCH_CALLS} in a batch, and each of them counts`, async () => {
    const batch = (size: number, comma: string) => call(`${Array(size).fill('things.unicode').join(comma)}?batch=1`);
    expect((await batch(MAX_BATCH_CALLS, ',')).body).toHaveLength(MAX_BATCH_CALLS);
    expect(api.calls.at(-1)).toBe(MAX_BATCH_CALLS);
    for (const comma of [',', '%2C', '%2c']) {
      const { message } = expectError(await batch(MAX_BATCH_CALLS + 1, comma), 'validation_failed');
      expect(message).toContain(`${MAX_BATCH_CALLS}`);
    }
    expect(api.calls.at(-1)).toBe(MAX_BATCH_CALLS);
  });

  it('answer a batch in which one call fails with 207, and each answer is independent', async () => {
    const { status, body } = await call('things.unicode,things.crash,things.nothing?batch=1');
    expect(status).toBe(207);
    expect(body.map((one: { error?: { data: ErrorBody } }) => one.error?.data.status ?? 200)).toEqual([200, 500, 404]);
  });
});

describe('tRPC errors', () => {
  it.each(Object.keys(ERROR_STATUS) as ErrorCode[])(
    'api §2: %s has the same status, body and headers as over REST',
    async (code) => {
      const typed = await post('things.refuse', JSON.stringify({ code, retryAfter: 9 }));
      const body = expectError(typed, code);
      const init = { method: 'POST', body: '{"retryAfter":9}', headers: JSON_TYPE };
      const rest = await fetch(`${api.url}/refusals/${code}`, init);
      const same = code === 'internal_server_error' ? { details: { requestId: rest.headers.get('x-request-id') } } : {};
      expect({ ...body, ...same }).toEqual(await rest.json());
      for (const name of ['retry-after', 'www-authenticate'])
        expect(typed.headers.get(name)).toBe(rest.headers.get(name));
    },
  );

  it.each(['things.nothing', 'things', '__proto__', 'things.__proto__', '_def', 'things.list.toString', '%00'])(
    '%s is not a procedure: 404',
    async (path) => {
      expectError(await call(path), 'not_found');
    },
  );

  it('api §2: the issues of an input are listed by path', async () => {
    const { details } = expectError(await call(`things.list?${query({ limit: 0, labels: [7] })}`), 'validation_failed');
    expect(details).toMatchObject({ issues: [{ path: 'limit' }, { path: 'labels.0' }] });
  });

  it.each([
    ['GET', 'things.check', 'POST'],
    ['POST', 'things.list', 'GET'],
    ['PUT', 'things.check', 'GET, POST, OPTIONS'],
    ['DELETE', 'things.list', 'GET, POST, OPTIONS'],
    ['TRACE', 'things.list', 'GET, POST, OPTIONS'],
    ['PROPFIND', 'things.list', 'GET, POST, OPTIONS'],
  ])('api §2: %s %s is 405 with Allow', async (method, path, allow) => {
    const answer = await api.ask(`${method} /trpc/${path} HTTP/1.1`, ['Host: x', 'Content-Type: application/json']);
    expect(answer).toMatchObject({ status: 405, headers: { allow } });
    expect(answer.body).toContain('"error":"method_not_allowed"');
  });

  it.each(['{', '{"a"', 'nothing', '"'])('api §2: malformed JSON %j is 400, in a body and in a query', async (text) => {
    for (const answer of [await post('things.check', text), await call(`things.get?input=${encodeURIComponent(text)}`)])
      expect(expectError(answer, 'validation_failed').message).toContain('JSON');
  });

  it.each(['text/plain', 'multipart/form-data; boundary=x', 'application/octet-stream'])(
    'F5: a body of type %s is 400 with the error body',
    async (type) => {
      const answer = await post('things.check', '{}', { 'Content-Type': type });
      expect(expectError(answer, 'validation_failed').message).toContain('application/json');
    },
  );

  it('F5: a POST without body and type is 400', async () => {
    expectError(await call('things.check', { method: 'POST' }), 'validation_failed');
  });

  it.each(['[]', '7', 'null'])('a batch whose inputs are %s is 400', async (text) => {
    const { status, body } = await post('things.check?batch=1', text);
    expect([status, body[0].error.data.error]).toEqual([400, 'validation_failed']);
  });

  it('F8: a body of more than 1 MiB is 413 and names the maximum', async () => {
    const { details } = expectError(await post('things.check', `{"name":"${'x'.repeat(MAX)}"}`), 'payload_too_large');
    expect(details).toEqual({ limit: 'body', max: MAX });
  });

  it('T23: JSON 80,000 deep is 400; a batch may be one level deeper', async () => {
    expectError(await post('things.check', '['.repeat(80_000)), 'validation_failed');
    const deep = (levels: number) => '{"a":'.repeat(levels) + '1' + '}'.repeat(levels);
    expect((await post('things.check', deep(8))).status).toBe(200);
    expectError(await post('things.check', deep(9)), 'validation_failed');
    expectError(await call(`things.list?input=${encodeURIComponent(deep(9))}`), 'validation_failed');
    expect((await post('things.check?batch=1', `{"0":${deep(8)}}`)).status).toBe(200);
    expectError(await post('things.check?batch=1', `{"0":${deep(9)}}`), 'validation_failed');
  });

  it('api §5: an invalid credential is 401 before the body is read', async () => {
    const answer = await post('things.check', '{', { Authorization: 'Bearer bad' });
    expectError(answer, 'authentication_failed');
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
  });

  it.each([
    ['a query', 'things.crash', {}],
    ['an answer that its schema rejects', 'things.misfit', {}],
    ['the context', 'things.list', { Authorization: 'Bearer crash' }],
  ])(
    'F7: a fault of %s sends the client only its request id, and logs its cause once',
    async (_what, path, headers) => {
      const lines = api.lines.length;
      const answer = await call(path, { headers });
      const requestId = answer.headers.get('x-request-id');
      expect(expectError(answer, 'internal_server_error').details).toEqual({ requestId });
      expect(answer.text).not.toMatch(/postgres|hunter2|SELECT|srv|\.ts|expected/i);
      expect(api.lines.slice(lines)).toMatchObject([
        { level: 'error', fields: { requestId, operation: path, err: expect.any(Error) } },
      ]);
    },
  );

  it('F7: a fault is masked in a batch and in a stream of answers too', async () => {
    const response = await fetch(`${api.url}/trpc/things.crash,things.unicode?batch=1`, {
      headers: { 'trpc-accept': 'application/jsonl' },
    });
    const text = `${(await call('things.crash,things.unicode?batch=1')).text}${await response.text()}`;
    expect(text.match(/"internal_server_error"/g)).toHaveLength(2);
    expect(text).not.toContain(CRASH.slice(0, 20));
    expect(text).not.toMatch(/postgres|hunter2|SELECT|srv|stack/i);
  });

  it('F7, api §9: a fault is masked in a subscription too, whose answer is not stored', async () => {
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
    'T11: the Host %j is 400 and does not crash the server',
    async (host) => {
      const { status, body } = await api.ask('GET /trpc/things.list HTTP/1.1', [`Host: ${host}`]);
      expect([status, body]).toEqual([400, expect.stringContaining('"error":"validation_failed"')]);
    },
  );

  it.each([
    ['a broken escape', '%zz'],
    ['bytes that are not UTF-8', '%ff'],
    ['a query together with a mutation', 'things.list,things.check?batch=1'],
    ['malformed connection parameters', 'things.list?connectionParams=x'],
  ])('api §2: %s in the URL is 400 with the error body', async (_what, path) => {
    expectError(await call(path), 'validation_failed');
  });
});
