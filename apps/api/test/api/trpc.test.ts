import { ERROR_STATUS, ErrorBody, type ErrorCode } from '@berth/contract';
import type { Operation } from '@berth/core';
import { footprintOf } from '@berth/testing/expectations';
import { type Answer, type Ask, OWNER_KEY } from '@berth/testing/requests';
import { useServer } from '@berth/testing/use-server';
import { beforeAll, describe, expect, it } from 'vitest';

const server = useServer({ clean: true });
let key: string;
let deployToken: string;
let site: string;
beforeAll(async () => {
  ({ key, deployToken } = await server().account());
  site = (await server().publish({ 'index.html': 'home' }, { key, fields: { labels: '["one"]' } })).deployment;
  await server().publish({ 'index.html': 'second' }, { key });
});

const JSON_TYPE = { 'Content-Type': 'application/json' };
const query = (path: string, input?: unknown, ask: Ask = {}) =>
  server().api(`/trpc/${path}${input === undefined ? '' : `?input=${encodeURIComponent(JSON.stringify(input))}`}`, {
    key,
    ...ask,
  });
const mutate = (path: string, input: unknown, ask: Ask = {}) =>
  server().api(`/trpc/${path}`, {
    method: 'POST',
    key,
    body: JSON.stringify(input),
    ...ask,
    headers: { ...JSON_TYPE, ...ask.headers },
  });
const dataOf = (answer: Answer) => answer.json<{ result: { data: unknown } }>().result.data;

/** The error of a call, which has the error body of the contract under `data`. */
function errorOf(answer: Answer): ErrorBody & { path?: string } {
  const { data, message } = answer.json<{ error: { data: ErrorBody & { path?: string }; message: string } }>().error;
  expect(message).toBe(data.message);
  expect(data).not.toHaveProperty('stack');
  return data;
}

function expectRefused(answer: Answer, code: ErrorCode): ErrorBody {
  expect([answer.status, answer.headers['content-type']]).toEqual([
    ERROR_STATUS[code],
    'application/json; charset=utf-8',
  ]);
  const body = errorOf(answer);
  expect(body).toMatchObject({ error: code, status: ERROR_STATUS[code] });
  return body;
}

describe('api §9: tRPC returns the same data as REST', () => {
  it.each<[Operation, string, () => object | undefined]>([
    ['deployments.list', '/deployments', () => ({})],
    ['deployments.list', '/deployments?limit=1', () => ({ limit: 1 })],
    ['deployments.get', '/deployments/SITE', () => ({ deployment: site })],
    ['account.get', '/account', () => undefined],
    ['account.get', '/account', () => ({})],
    ['activities.list', '/activities?limit=2', () => ({ limit: 2 })],
    ['plans.list', '/plans', () => undefined],
    ['platform.limits', '/limits', () => undefined],
    ['platform.config', '/config', () => undefined],
  ])('%s, %s', async (operation, path, input) => {
    const [typed, rest] = await Promise.all([
      query(operation, input()),
      server().api(path.replace('SITE', site), { key }),
    ]);
    expect([typed.status, dataOf(typed)]).toEqual([200, rest.json()]);
    expect(typed.headers['cache-control']).toBe('no-store');
  });

  it('platform.ping', async () => {
    expect(dataOf(await query('platform.ping'))).toEqual({ timestamp: expect.toSatisfy(Number.isInteger) });
  });

  it('mutations', async () => {
    expect(dataOf(await mutate('deployments.update', { deployment: site, labels: ['two'] }))).toMatchObject({
      deployment: site,
      labels: ['two'],
    });
    const { deployment } = await server().publish({ a: 'a' }, { key });
    expect(dataOf(await mutate('deployments.delete', { deployment }))).toEqual({ deployment, status: 'deleting' });
    expect((await server().visit(deployment)).status).toBe(404);
  });

  it('without input, where REST needs no query and no body', async () => {
    for (const list of ['deployments.list', 'domains.list', 'tokens.list', 'activities.list'])
      expect(dataOf(await query(list)), list).toEqual((await server().api(`/${list.slice(0, -5)}`, { key })).json());
    const created = await server().api('/trpc/tokens.create', { method: 'POST', key, headers: JSON_TYPE });
    expect(dataOf(created)).toMatchObject({ kind: 'deploy', labels: [], expires: null });
    server().secrets.add((dataOf(created) as { secret: string }).secret);
  });

  it('and a cursor of one works with the other', async () => {
    const { nextCursor } = dataOf(await query('deployments.list', { limit: 1 })) as { nextCursor: string };
    const rest = (await server().api(`/deployments?limit=1&cursor=${nextCursor}`, { key })).json();
    expect(dataOf(await query('deployments.list', { limit: 1, cursor: nextCursor }))).toEqual(rest);
  });
});

describe('api §2: tRPC returns the same error as REST, under error.data', () => {
  const cases: [string, () => Promise<Answer>, () => Promise<Answer>][] = [
    [
      'a missing deployment',
      () => query('deployments.get', { deployment: 'none' }),
      () => server().api('/deployments/none', { key }),
    ],
    [
      'an invalid limit',
      () => query('deployments.list', { limit: 0 }),
      () => server().api('/deployments?limit=0', { key }),
    ],
    [
      'an invalid cursor',
      () => query('activities.list', { cursor: 'x' }),
      () => server().api('/activities?cursor=x', { key }),
    ],
    [
      'invalid labels',
      () => mutate('deployments.update', { deployment: site, labels: ['A'] }),
      () =>
        server().api(`/deployments/${site}`, { method: 'PATCH', key, headers: JSON_TYPE, body: '{"labels":["A"]}' }),
    ],
    [
      'no credential',
      () => query('account.get', undefined, { key: null }),
      () => server().api('/account', { key: null }),
    ],
    [
      'an invalid credential',
      () => query('account.get', undefined, { key: 'x' }),
      () => server().api('/account', { key: 'x' }),
    ],
    [
      'a deploy token',
      () => query('account.get', undefined, { key: deployToken }),
      () => server().api('/account', { key: deployToken }),
    ],
  ];
  it.each(cases)('%s', async (_, typed, rest) => {
    const before = await footprintOf(server());
    const [answer, other] = [await typed(), await rest()];
    expect(answer.status).toBe(other.status);
    expect(errorOf(answer)).toMatchObject(other.json());
    for (const name of ['www-authenticate', 'retry-after', 'cache-control'])
      expect(answer.headers[name]).toBe(other.headers[name]);
    expect(await footprintOf(server())).toEqual(before);
  });
});

describe('T21: a tRPC batch', () => {
  it('has a refused call fail on its own, and fails as a whole with an invalid credential', async () => {
    const answer = await server().api('/trpc/plans.list,account.get?batch=1', { key: null });
    const [plans, account] = answer.json<[{ result?: object }, { error?: { data: ErrorBody } }]>();
    expect([answer.status, plans.result !== undefined, account.error?.data.error]).toEqual([
      207,
      true,
      'authentication_failed',
    ]);
    expectRefused(await server().api('/trpc/plans.list,account.get?batch=1', { key: 'x' }), 'authentication_failed');
  });
});

describe('F8, T23: requests that no typed client sends', () => {
  it.each<[string, string, Ask, ErrorCode]>([
    [
      'the create of deployments',
      '/trpc/deployments.create',
      { method: 'POST', headers: JSON_TYPE, body: '{}' },
      'not_found',
    ],
    ['input of another type', '/trpc/deployments.get?input=1', {}, 'validation_failed'],
    ['no input', '/trpc/deployments.get', {}, 'validation_failed'],
    [
      'an operator in place of a text',
      `/trpc/deployments.get?input=${encodeURIComponent('{"deployment":{"$ne":null}}')}`,
      {},
      'validation_failed',
    ],
    ['NUL', `/trpc/deployments.get?input=${encodeURIComponent('{"deployment":"\\u0000"}')}`, {}, 'not_found'],
    ['an invalid encoding', '/trpc/%zz', {}, 'not_found'],
  ])('%s', async (_, path, ask, code) => {
    const before = await footprintOf(server());
    const answer = await server().api(path, { key: OWNER_KEY, ...ask });
    if (answer.status === 400 && code === 'not_found')
      expect(errorOf(answer)).toMatchObject({ error: 'validation_failed' });
    else expectRefused(answer, code);
    expect(ErrorBody.safeParse(errorOf(answer)).success).toBe(true);
    expect(await footprintOf(server())).toEqual(before);
  });
});
