import {
  Account,
  ActivityList,
  BLOCKED_EXTENSIONS,
  CreatedToken,
  CREDENTIAL,
  DEFAULT_PLANS,
  DeletedDeployment,
  Deployment,
  Limits,
  PlanList,
  Token,
  TOKEN_ID,
} from '@berth/contract';
import { sweep } from '@berth/core/jobs';
import { expectErrorAnswer, readAnswer } from '@berth/testing/expectations';
import { type Ask, askerOf } from '@berth/testing/requests';
import { testEnvironment } from '@berth/testing/server';
import { useServer } from '@berth/testing/use-server';
import { beforeAll, describe, expect, it } from 'vitest';
import { startBerth } from '../../src/server.ts';

const CLOSED = 'Seats come this autumn.';

const server = useServer({ plans: { team: { closed: CLOSED } }, clean: true });
let key: string;
let account: string;
let deployToken: string;
beforeAll(async () => {
  ({ key, account, deployToken } = await server().account('pro'));
});

const now = () => Math.floor(Date.now() / 1000);
const start = now();
/** A time since this file started. */
const lately = expect.toSatisfy((time) => Number.isInteger(time) && start <= time && time <= now());
const api = (path: string, ask: Ask = {}) => server().api(path, { key, ...ask });

describe('api §6', () => {
  it('GET /account', async () => {
    await server().publish({ a: 'a' }, { key });
    expect(readAnswer(await api('/account'), 200, Account)).toEqual({
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
  });

  it.each(DEFAULT_PLANS)('GET /account and GET /limits report the plan $plan with its caps and limits', async (row) => {
    const credentials = await server().account(row.plan);
    const found = readAnswer(await api('/account', { key: credentials.key }), 200, Account);
    expect(found).toMatchObject({ plan: row.plan, caps: row.caps });
    for (const credential of [credentials.key, credentials.deployToken])
      expect(readAnswer(await api('/limits', { key: credential }), 200, Limits)).toEqual({
        ...row.limits,
        blockedExtensions: [...BLOCKED_EXTENSIONS],
      });
  });

  it('GET /plans, for everyone, in display order', async () => {
    const listed = DEFAULT_PLANS.map(({ plan, name, price, caps }) => ({ plan, name, price, caps }));
    for (const credential of [null, key, deployToken]) {
      const { plans } = readAnswer(await api('/plans', { key: credential }), 200, PlanList);
      expect(plans).toEqual(listed.map((row) => (row.plan === 'team' ? { ...row, closed: CLOSED } : row)));
    }
  });

  it('GET /activities: the events of the account, newest first, as in the contract', async () => {
    const { deployment } = await server().publish({ b: 'b' }, { key: deployToken, fields: { via: 'cli' } });
    await api(`/deployments/${deployment}`, { method: 'PATCH', json: { labels: ['one'] } });
    await api(`/deployments/${deployment}`, { method: 'DELETE' });
    const { activities } = readAnswer(await api('/activities?limit=3'), 200, ActivityList);
    const entry = { created: lately, deployment, authMethod: 'api-key' };
    expect(activities).toEqual([
      { ...entry, event: 'deployment.delete', meta: {} },
      { ...entry, event: 'deployment.update', meta: { labels: ['one'] } },
      {
        ...entry,
        event: 'deployment.create',
        authMethod: 'deploy-token',
        meta: { files: 1, size: 1, via: 'cli' },
      },
    ]);
  });

  it('POST /account/claim does not change the replay of the stored 201 of the deploy', async () => {
    const headers = { 'Idempotency-Key': 'claimed-later' };
    const deploy = () => server().deploy({ 'index.html': 'again' }, { key: null, headers });
    const first = await deploy();
    const { claim } = first.json<{ claim: string }>();
    const claimed = await api('/account/claim', { method: 'POST', json: { claim } });
    expect(readAnswer(claimed, 200, Deployment)).not.toHaveProperty('expires');
    expect((await deploy()).text).toBe(first.text);
  });
});

describe('api §3: a deployment', () => {
  it('is found by its id or its host name, in any case', async () => {
    const fields = { labels: '["one"]' };
    const { deployment, url, created } = await server().publish({ 'index.html': 'home' }, { key, fields });
    const found = { files: 1, size: 4, status: 'success', password: false, via: 'api', labels: ['one'], created };
    const host = new URL(url).host;
    for (const reference of [
      deployment,
      deployment.toUpperCase(),
      host.toUpperCase(),
      host.split(':')[0]!,
      encodeURIComponent(host),
      deployment.replace('-', '%2d'),
    ])
      expect(readAnswer(await api(`/deployments/${reference}`), 200, Deployment)).toEqual({
        deployment,
        url,
        ...found,
      });
  });

  it('DELETE: 202, the site is 404 at once, a repeat is 202, a change is 422; after the sweep 404', async () => {
    const { deployment, url } = await server().publish({ 'index.html': 'home' }, { key });
    const path = `/deployments/${deployment}`;
    expect((await server().visit(url)).status).toBe(200);
    for (let i = 0; i < 2; i += 1) {
      const deleted = await api(path, { method: 'DELETE' });
      expect(readAnswer(deleted, 202, DeletedDeployment)).toEqual({ deployment, status: 'deleting' });
      expect((await server().visit(url)).status).toBe(404);
    }
    expectErrorAnswer(await api(path, { method: 'PATCH', json: { labels: [] } }), 'business_logic_error');
    await sweep(server().berth.core);
    expectErrorAnswer(await api(path), 'not_found');
  });
});

describe('api §5: a token', () => {
  const create = async (request?: object) => {
    const token = readAnswer(await api('/tokens', { method: 'POST', json: request }), 201, CreatedToken);
    server().secrets.add(token.secret);
    return token;
  };
  const revoke = (token: string, ask: Ask = {}) => api(`/tokens/${token}`, { method: 'DELETE', ...ask });

  it.each<[object | undefined, object]>([
    [undefined, { kind: 'deploy', labels: [], expires: null, used: null }],
    [{ kind: 'deploy' }, { kind: 'deploy' }],
    [{ kind: 'api' }, { kind: 'api' }],
    [{ labels: ['one', 'two', 'one'] }, { labels: ['one', 'two'] }],
    [{ kind: 'api', ttl: 365 * 86_400 }, { expires: expect.any(Number) }],
    [{ ttl: 3600, secret: 'ship-x', token: 'chosen0', used: 1, account: 'acc-x' }, { used: null }],
  ])('is created by %j', async (request, expected) => {
    const { secret, ...record } = await create(request);
    expect(record).toMatchObject(expected);
    expect(record.token).toMatch(TOKEN_ID);
    expect(record.token).not.toBe('chosen0');
    expect(secret).toMatch(CREDENTIAL);
    expect(readAnswer(await api(`/tokens/${record.token}`), 200, Token)).toEqual(record);
    expect((await api('/limits', { key: secret })).status).toBe(200);
    expect((await api('/account', { key: secret })).status).toBe(record.kind === 'api' ? 200 : 403);
  });

  it('has a secret that only its creation sends', async () => {
    const { token, secret } = await create();
    for (const path of ['/tokens', `/tokens/${token}`, '/activities', '/account'])
      expect((await api(path)).text).not.toContain(secret.slice(-32));
  });

  it('can revoke itself, even if it is the last API key of its account', async () => {
    const { key } = await server().account();
    const { tokens } = (await api('/tokens', { key })).json<{ tokens: Token[] }>();
    const { token } = tokens.find(({ kind }) => kind === 'api')!;
    expect((await revoke(token, { key })).json()).toEqual({ token });
    expectErrorAnswer(await api('/account', { key }), 'authentication_failed');
  });

  it('T20: is revoked at once in every process', async () => {
    const { berth, database, dataDir } = server();
    const second = await startBerth(testEnvironment(database, dataDir), berth.core.log);
    try {
      const there = askerOf(second.config.port);
      const { token, secret } = await create();
      expect((await there.api('/limits', { key: secret })).status).toBe(200);
      expect((await revoke(token)).status).toBe(200);
      expectErrorAnswer(await there.api('/limits', { key: secret }), 'authentication_failed');
      expect((await there.deploy({ a: 'a' }, { key: secret })).status).toBe(401);
    } finally {
      await second.close();
    }
  });
});
