import { afterAll, beforeAll, expect, it } from 'vitest';
import { askRest, expectRestError, JSON_TYPE } from './rest-client.ts';
import { listen, type SampleApi } from './sample-api.ts';

let api: SampleApi;
beforeAll(async () => void (api = await listen()));
afterAll(() => api.close());

const request = (path: string, init?: RequestInit) => askRest(api, path, init);
const patch = (body: string, headers: Record<string, string> = JSON_TYPE) =>
  request('/things/a', { method: 'PATCH', body, headers });

it('F5: a body without a type is 400', async () => {
  const answer = await api.raw(
    'PATCH /things/a HTTP/1.1\r\nHost: x\r\nContent-Length: 13\r\nConnection: close\r\n\r\n{"labels":[]}',
  );
  expect(answer).toMatch(/^HTTP\/1\.1 400 /);
});

it('T23: bytes that are not UTF-8 are 400', async () => {
  const answer = await request('/things/a', {
    method: 'PATCH',
    body: Buffer.from('{"labels":["\xff"]}', 'latin1'),
    headers: JSON_TYPE,
  });
  expect(expectRestError(answer, 'validation_failed').message).toContain('UTF-8');
});

it.each(['gzip', 'deflate', 'br', 'gzip, identity'])('T4: Content-Encoding: %s is 400', async (encoding) => {
  expectRestError(
    await patch('{"labels":[]}', { 'Content-Type': 'application/json', 'Content-Encoding': encoding }),
    'validation_failed',
  );
});

it('a POST without a body gets the empty object as its input', async () => {
  expect((await request('/things/check', { method: 'POST' })).body).toEqual({ input: {} });
  expectRestError(await request('/things/a', { method: 'PATCH' }), 'validation_failed');
});

it('a body is read once for all the schemas that validate it', async () => {
  const answer = await request('/things/check', { method: 'POST', body: '{"name":"x","count":7}', headers: JSON_TYPE });
  expect(answer.body).toEqual({ input: { name: 'x', count: 7 } });
});

it('T23: __proto__ and constructor are ordinary keys without side effects', async () => {
  const { status, body } = await patch(
    '{"labels":["a"],"labels":[],"__proto__":{"count":7},"constructor":{"prototype":{"count":7}}}',
  );
  expect([status, body]).toEqual([200, { input: { thing: 'a', labels: [] } }]);
  expect(({} as { count?: number }).count).toBeUndefined();
});

it.each(['{"$ne":null}', '{"toString":1}'])('T23: an object %s in place of a text is 400', async (value) => {
  expectRestError(await patch(`{"labels":[${value}]}`), 'validation_failed');
});

it('T23: eight levels are accepted, nine are refused', async () => {
  const nested = (levels: number) =>
    `{"labels":[],"deep":${'['.repeat(levels - 1)}"[[[[[[[[[[\\"[["${']'.repeat(levels - 1)}}`;
  expect((await patch(nested(8))).status).toBe(200);
  expect(expectRestError(await patch(nested(9)), 'validation_failed').message).toContain('nested');
});

it.each([
  ['arrays', '['.repeat(80_000)],
  ['objects', '{"a":'.repeat(80_000)],
  ['closed arrays', `{"labels":[],"deep":${'['.repeat(80_000)}${']'.repeat(80_000)}}`],
])('T23: JSON 80,000 %s deep is 400 and does not crash the server', async (_kind, body) => {
  expectRestError(await patch(body), 'validation_failed');
});

const MAX = 1024 ** 2;
const sized = (bytes: number) => `{"labels":["${'x'.repeat(bytes - 15)}"]}`;

it('api §2: a body of 1 MiB is accepted, one byte more is 413', async () => {
  expect(sized(MAX).length).toBe(MAX);
  expect((await patch(sized(MAX))).status).toBe(200);
  const { details } = expectRestError(await patch(sized(MAX + 1)), 'payload_too_large');
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
  expectRestError(await request('/things/a', init), 'payload_too_large');
  expect((await request('/things')).status).toBe(200);
});

it('GET and DELETE ignore a body', async () => {
  for (const method of ['GET', 'DELETE']) {
    const answer = await api.raw(
      `${method} /things/a HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nConnection: close\r\n\r\n{"x`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 20[02] /);
    expect(JSON.parse(answer.split('\r\n\r\n')[1]!)).toEqual({ input: { thing: 'a' } });
  }
});

it('api §5: an invalid credential is 401 before the body is read', async () => {
  const answer = await patch('{', { 'Content-Type': 'text/plain', Authorization: 'Bearer bad' });
  expectRestError(answer, 'authentication_failed');
});
