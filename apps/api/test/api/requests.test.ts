import { expectErrorAnswer, expectRefusal } from '@berth/testing/expectations';
import type { Ask } from '@berth/testing/requests';
import { useServer } from '@berth/testing/use-server';
import { beforeAll, describe, expect, it } from 'vitest';

const server = useServer({ clean: true });
let site: string;
beforeAll(async () => {
  site = (await server().publish({ 'index.html': 'home' }, { fields: { labels: '["first"]' } })).deployment;
});

const patch = (body: string | Buffer, ask: Ask = {}) =>
  server().api(`/deployments/${site}`, {
    method: 'PATCH',
    body,
    ...ask,
    headers: { 'Content-Type': 'application/json', ...ask.headers },
  });
const labelsNow = async () => (await server().api(`/deployments/${site}`)).json<{ labels: string[] }>().labels;

describe('api §2: an unknown path is 404', () => {
  it.each([
    ['/nowhere'],
    ['/deployments/'],
    ['/Deployments'],
    ['/deployments/a/b'],
    ['/account/'],
    ['/ACCOUNT'],
    ['//account'],
    ['/account//'],
    ['/account/.'],
    ['/./account'],
    ['/x/../account'],
    ['/account%2f'],
    ['/account%20'],
    ['/account;x=1'],
    ['/%61ccount/x'],
    ['/v1/account'],
    ['/v1/deployments'],
    ['/1/ping'],
    ['/api/v1/ping'],
    ['/events'],
    ['/webhooks'],
    ['/notifications'],
    ['/activities/watch'],
    ['/.env'],
    ['/.git/config'],
    ['/docs/../package.json'],
    ['/docs/%2e%2e/package.json'],
    ['/docs/index.html'],
    ['/trpc'],
    ['/trpc/'],
    ['/trpc/a/b'],
    ['/admin'],
    ['/__proto__'],
    ['/constructor'],
    ['/*'],
    ['/' + 'x'.repeat(8000)],
  ])('%.40s', async (path) => {
    for (const key of [null, undefined])
      for (const method of ['GET', 'POST', 'DELETE'])
        expectErrorAnswer(await server().api(path, { method, ...(key === null ? { key } : {}) }), 'not_found');
  });

  it.each(['/%', '/%zz', '/deployments/%', '/deployments/%e0%a4', '/deployments/%ff', '/account%'])(
    '%s, with an invalid encoding, is 400 or 404',
    async (path) => {
      const answer = await server().api(path);
      expectErrorAnswer(answer, answer.status === 404 ? 'not_found' : 'validation_failed');
    },
  );

  it.each([
    'none',
    'calm-otter-0000000',
    '%00',
    '%0d%0a',
    '..',
    '%2e%2e',
    '%2fetc',
    'null',
    '[object Object]'.replaceAll(' ', '%20'),
    '%F0%9F%94%91',
    "'%20or%201=1",
    '{deployment}',
    'x'.repeat(300),
  ])('a reference that cannot be a deployment gets the 404 of a missing one: %.30s', async (reference) => {
    const missing = await server().api('/deployments/calm-otter-zzzzzzz');
    const answer = await server().api(`/deployments/${reference}`);
    expectErrorAnswer(answer, 'not_found');
    expect(answer.text).toBe(missing.text);
  });

  it('a reference that is too long is 400', async () => {
    expectErrorAnswer(await server().api(`/deployments/${'x'.repeat(301)}`), 'validation_failed');
  });
});

describe('api §2: another method on a known path is 405 with Allow', () => {
  it.each<[string, string[]]>([
    ['/deployments', ['GET', 'HEAD', 'OPTIONS', 'POST']],
    ['/deployments/none', ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH']],
    ['/healthz', ['GET', 'HEAD', 'OPTIONS']],
    ['/openapi.json', ['GET', 'HEAD', 'OPTIONS']],
    ['/docs', ['GET', 'HEAD', 'OPTIONS']],
    ['/', ['GET', 'HEAD', 'OPTIONS']],
  ])('%s', async (path, allowed) => {
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND'].filter(
      (method) => !allowed.includes(method),
    )) {
      const { status, headers, text } = await server().api(path, { method });
      expect([method, status, String(headers['allow']).split(', ').toSorted()]).toEqual([method, 405, allowed]);
      expect(JSON.parse(text)).toMatchObject({ error: 'method_not_allowed', status: 405 });
    }
    const { status, text } = await server().api(path, { method: 'OPTIONS', key: null });
    expect([status, text]).toEqual([204, '']);
  });

  it('ignores a method override', async () => {
    for (const headers of [{ 'X-HTTP-Method-Override': 'DELETE' }, { 'X-HTTP-Method': 'DELETE' }] as Record<
      string,
      string
    >[]) {
      expectErrorAnswer(await server().api(`/deployments/${site}`, { method: 'POST', headers }), 'method_not_allowed');
      expect((await server().api(`/deployments/${site}?_method=DELETE`, { headers })).json()).toMatchObject({
        status: 'success',
      });
    }
  });
});

describe('T23: an invalid JSON body is 400', () => {
  it.each<[string, string | Buffer]>([
    ['text that is not JSON', '{labels: []}'],
    ['no field', '{}'],
    ['labels of another type', '{"labels":"one"}'],
    ['labels that are null', '{"labels":null}'],
    ['labels that are an object', '{"labels":{"0":"one"}}'],
    ['a label of another type', '{"labels":[1]}'],
    ['an operator for a label', '{"labels":{"$ne":null}}'],
    ['an invalid label', '{"labels":["Not One"]}'],
    ['a label with NUL', '{"labels":["a\\u0000b"]}'],
    ['a lone surrogate', '{"labels":["\\ud800aa"]}'],
    ['eleven labels', JSON.stringify({ labels: Array.from({ length: 11 }, (_, i) => `label${i}`) })],
    ['labels in a prototype', '{"__proto__":{"labels":["one"]}}'],
    ['labels in another case', '{"Labels":["one"]}'],
    ['a byte order mark of another encoding', Buffer.from('\ufeff{"labels":[]}', 'utf16le')],
    ['NaN', '{"labels":NaN}'],
    ['a comment', '{"labels":[]/**/}'],
  ])('%s', async (_, body) => {
    await expectRefusal(server(), 'validation_failed', () => patch(body));
    expect(await labelsNow()).toEqual(['first']);
  });
});

describe('api §1: the parameter limit', () => {
  it.each(['-0', '1.5', 'ten', '%20', '%00', 'Infinity', 'null', '[]', '1,2', '%2b5'])(
    'is 400 as %s',
    async (limit) => {
      for (const path of ['/deployments', '/activities']) {
        const { details } = await expectRefusal(server(), 'validation_failed', () =>
          server().api(`${path}?limit=${limit}`),
        );
        expect(details).toEqual({ issues: [{ path: 'limit', message: expect.any(String) }] });
      }
    },
  );
});

it('api §1: unknown query parameters are ignored, whatever their values', async () => {
  for (const query of [
    'x=1',
    '__proto__=1',
    'limit[]=x',
    'limit[$gt]=1',
    'account=other',
    '%00=%00',
    '&&&',
    '=',
    'a=%',
    'x='.repeat(2_000),
  ])
    expect([query, (await server().api(`/deployments?${query}`)).status]).toEqual([query, 200]);
});

it('api §2: every answer has its own id, which the client cannot choose', async () => {
  const ids = await Promise.all(
    Array.from(
      { length: 20 },
      async (_, i) =>
        (await server().api(i % 2 === 0 ? '/ping' : '/nowhere', { headers: { 'X-Request-Id': 'mine' } })).headers[
          'x-request-id'
        ],
    ),
  );
  expect(new Set(ids).size).toBe(20);
  expect(ids).not.toContain('mine');
});
