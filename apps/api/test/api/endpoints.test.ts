import {
  Account,
  ActivityList,
  BLOCKED_EXTENSIONS,
  DEFAULT_PLANS,
  DeletedDeployment,
  Deployment,
  DeploymentList,
  Limits,
  Ping,
  PlanList,
} from '@berth/contract';
import { sweep } from '@berth/core/jobs';
import { expectErrorAnswer } from '@berth/testing/expectations';
import { type Answer, OWNER_KEY } from '@berth/testing/requests';
import { useServer } from '@berth/testing/use-server';
import { beforeAll, describe, expect, it } from 'vitest';

const CLOSED = 'Seats come this autumn.';

const server = useServer({ plans: { team: { closed: CLOSED } }, clean: true });
let key: string;
let account: string;
let deployToken: string;
beforeAll(async () => {
  ({ key, account, deployToken } = await server().account('pro'));
});

const JSON_TYPE = { 'Content-Type': 'application/json' };
const now = () => Math.floor(Date.now() / 1000);
const start = now();
/** A time since this file started. */
const lately = expect.toSatisfy((time) => Number.isInteger(time) && start <= time && time <= now());
const get = (path: string) => server().api(path, { key });

/** A JSON answer of the API, parsed with its schema, which allows no other fields. */
function read<T>(answer: Answer, status: number, schema: { strict(): { parse(value: unknown): T } }): T {
  expect([answer.status, answer.headers['content-type'], answer.headers['cache-control']]).toEqual([
    status,
    'application/json; charset=utf-8',
    'no-store',
  ]);
  expect(answer.headers).toMatchObject({
    'x-content-type-options': 'nosniff',
    'x-request-id': expect.stringMatching(/./),
  });
  expect(answer.headers).not.toHaveProperty('x-powered-by');
  expect(answer.headers).not.toHaveProperty('server');
  return schema.strict().parse(answer.json());
}

describe('api §6', () => {
  it('GET /account', async () => {
    await server().publish({ a: 'a' }, { key });
    expect(read(await get('/account'), 200, Account)).toEqual({
      account,
      email: expect.stringContaining('@'),
      name: null,
      plan: 'pro',
      usage: { deployments: 1, platformDomains: 0, customDomains: 0, seats: 1, storage: 1 },
      caps: { deployments: 1000, platformDomains: 50, customDomains: 10, seats: 1, storage: 50 * 1024 ** 3 },
      created: lately,
      hint: key.slice(-4),
      authMethod: 'api-key',
    });
    expect(read(await server().api('/account'), 200, Account)).toMatchObject({
      email: 'owner@localhost',
      plan: 'scale',
      caps: null,
      hint: OWNER_KEY.slice(-4),
    });
  });

  it('GET /limits', async () => {
    for (const credential of [key, deployToken])
      expect(read(await server().api('/limits', { key: credential }), 200, Limits)).toEqual({
        ...DEFAULT_PLANS[1]!.limits,
        blockedExtensions: [...BLOCKED_EXTENSIONS],
      });
    expect(read(await server().api('/limits'), 200, Limits)).toMatchObject(DEFAULT_PLANS[3]!.limits);
  });

  it('GET /ping', async () => {
    for (const credential of [key, deployToken])
      expect(read(await server().api('/ping', { key: credential }), 200, Ping)).toEqual({ timestamp: lately });
  });

  it('GET /plans, for everyone, in display order', async () => {
    for (const credential of [null, key, deployToken]) {
      const { plans } = read(await server().api('/plans', { key: credential }), 200, PlanList);
      expect(plans).toEqual(
        DEFAULT_PLANS.map(({ plan, name, price, caps }) => ({
          plan,
          name,
          price,
          caps,
          ...(plan === 'team' ? { closed: CLOSED } : {}),
        })),
      );
    }
  });

  it.each(DEFAULT_PLANS)('GET /account and GET /limits report the plan $plan with its caps and limits', async (row) => {
    const { key } = await server().account(row.plan);
    const { plan, caps } = read(await server().api('/account', { key }), 200, Account);
    expect({ plan, caps }).toEqual({ plan: row.plan, caps: row.caps });
    expect(read(await server().api('/limits', { key }), 200, Limits)).toMatchObject(row.limits);
  });

  it('GET /config is 301 to /limits, with any credential or none', async () => {
    for (const credential of [null, key, deployToken]) {
      const answer = await server().api('/config', { key: credential });
      expect([answer.status, answer.headers['location'], answer.json()]).toEqual([
        301,
        '/limits',
        { location: '/limits' },
      ]);
    }
    expectErrorAnswer(await server().api('/config', { key: 'nonsense' }), 'authentication_failed');
  });

  it('GET /activities: the events of the account, newest first, as in the contract', async () => {
    const { deployment } = await server().publish({ b: 'b' }, { key: deployToken, fields: { via: 'cli' } });
    await server().api(`/deployments/${deployment}`, {
      method: 'PATCH',
      key,
      headers: JSON_TYPE,
      body: '{"labels":["one"]}',
    });
    await server().api(`/deployments/${deployment}`, { method: 'DELETE', key });
    const { activities } = read(await get('/activities?limit=3'), 200, ActivityList);
    expect(activities).toEqual([
      { event: 'deployment.delete', created: lately, deployment, authMethod: 'api-key', meta: {} },
      { event: 'deployment.update', created: lately, deployment, authMethod: 'api-key', meta: { labels: ['one'] } },
      {
        event: 'deployment.create',
        created: lately,
        deployment,
        authMethod: 'deploy-token',
        meta: { files: 1, size: 1, via: 'cli' },
      },
    ]);
  });

  it('GET /activities includes the account and its key', async () => {
    const { key } = await server().account();
    const { activities } = read(await server().api('/activities', { key }), 200, ActivityList);
    expect(activities.map(({ event, authMethod }) => [event, authMethod])).toEqual([
      ['account.key.generate', 'operator'],
      ['account.create', 'operator'],
    ]);
  });
});

describe('api §3: a deployment', () => {
  it('is found by its id or its host name, in any case', async () => {
    const { deployment, url, created } = await server().publish(
      { 'index.html': 'home' },
      { key, fields: { labels: '["one"]' } },
    );
    const expected = {
      deployment,
      url,
      files: 1,
      size: 4,
      status: 'success',
      password: false,
      via: 'api',
      labels: ['one'],
      created,
    };
    const host = new URL(url).host;
    for (const reference of [
      deployment,
      deployment.toUpperCase(),
      host,
      host.toUpperCase(),
      host.split(':')[0]!,
      encodeURIComponent(host),
      deployment.replace('-', '%2d'),
    ])
      expect(read(await get(`/deployments/${reference}`), 200, Deployment)).toEqual(expected);
    const { deployments } = read(await get('/deployments?limit=1'), 200, DeploymentList);
    expect(deployments).toEqual([expected]);
  });

  it.each([[['one', 'two']], [['two']], [[]]])('PATCH replaces its labels: %j', async (labels) => {
    const { deployment } = await server().publish({ 'index.html': 'home' }, { key, fields: { labels: '["first"]' } });
    const answer = await server().api(`/deployments/${deployment}`, {
      method: 'PATCH',
      key,
      headers: JSON_TYPE,
      body: JSON.stringify({ labels, deployment: 'other', status: 'deleting', __proto__: 1, unknown: true }),
    });
    expect(read(answer, 200, Deployment)).toMatchObject({ deployment, labels, status: 'success' });
    expect(read(await get(`/deployments/${deployment}`), 200, Deployment).labels).toEqual(labels);
  });

  it('DELETE: 202, the site is 404 at once, a repeat is 202, a change is 422; after the sweep 404', async () => {
    const { deployment, url } = await server().publish(
      { 'index.html': 'home', 'large.bin': 'x'.repeat(100_000) },
      { key },
    );
    expect((await server().visit(url)).status).toBe(200);
    for (let i = 0; i < 3; i += 1) {
      const deleted = await server().api(`/deployments/${deployment}`, { method: 'DELETE', key });
      const [front, file, head, missing] = await Promise.all([
        server().visit(url),
        server().visit(url, '/large.bin'),
        server().visit(url, '/', { method: 'HEAD' }),
        server().visit(url, '/missing'),
      ]);
      expect(read(deleted, 202, DeletedDeployment)).toEqual({ deployment, status: 'deleting' });
      expect([front.status, file.status, head.status, missing.status]).toEqual([404, 404, 404, 404]);
    }
    expect(read(await get(`/deployments/${deployment}`), 200, Deployment)).toMatchObject({ status: 'deleting' });
    expectErrorAnswer(
      await server().api(`/deployments/${deployment}`, {
        method: 'PATCH',
        key,
        headers: JSON_TYPE,
        body: '{"labels":[]}',
      }),
      'business_logic_error',
    );
    await sweep(server().berth.core);
    expectErrorAnswer(await get(`/deployments/${deployment}`), 'not_found');
  });

  it('of a suspended or terminated account is not served', async () => {
    const { account, key } = await server().account();
    const { url } = await server().publish({ 'index.html': 'home' }, { key });
    await server().database.query(`update account set state = 'terminated' where id = $1`, [account]);
    expect((await server().visit(url)).status).toBe(404);
  });
});

it('HEAD answers like GET, without the body', async () => {
  for (const path of [
    '/account',
    '/deployments',
    '/limits',
    '/plans',
    '/config',
    '/activities',
    '/deployments/none',
    '/healthz',
    '/openapi.json',
  ]) {
    const [got, head] = await Promise.all([get(path), server().api(path, { method: 'HEAD', key })]);
    expect([path, head.status, head.text, head.headers['content-length']]).toEqual([
      path,
      got.status,
      '',
      got.headers['content-length'],
    ]);
  }
});
