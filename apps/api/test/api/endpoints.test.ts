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
import { expectError, readJson } from '@berth/testing/expectations';
import { createTestClient, type RequestOptions } from '@berth/testing/requests';
import { testEnvironment } from '@berth/testing/server';
import { useServer } from '@berth/testing/use-server';
import { beforeAll, describe, expect, it } from 'vitest';
import { startBerth } from '../../src/server.ts';

const CLOSED_MESSAGE = 'Seats come this autumn.';

const server = useServer({ plans: { team: { closed: CLOSED_MESSAGE } }, clean: true });
let key: string;
let account: string;
let deployToken: string;
beforeAll(async () => {
  ({ key, account, deployToken } = await server().account('pro'));
});

const now = () => Math.floor(Date.now() / 1000);
const startSeconds = now();
/** Matches a time in seconds since the start of this file. */
const sinceStart = expect.toSatisfy((time) => Number.isInteger(time) && startSeconds <= time && time <= now());
const api = (path: string, options: RequestOptions = {}) => server().api(path, { key, ...options });

describe('api §6: the API', () => {
  it('returns the account with its usage and caps at GET /account', async () => {
    await server().publish({ a: 'a' }, { key });
    expect(readJson(await api('/account'), 200, Account)).toEqual({
      account,
      email: expect.stringContaining('@'),
      name: null,
      plan: 'pro',
      usage: { deployments: 1, platformDomains: 0, customDomains: 0, seats: 1, storage: 1 },
      caps: { deployments: 1000, platformDomains: 50, customDomains: 10, seats: 1, storage: 50 * 1024 ** 3 },
      created: sinceStart,
      hint: key.slice(-4),
      scheduled: null,
      authMethod: 'api-key',
      used: expect.toSatisfy((used) => used === null || typeof used === 'number'),
    });
  });

  it.each(DEFAULT_PLANS)('returns the caps and limits of plan $plan at GET /account and GET /limits', async (plan) => {
    const credentials = await server().account(plan.plan);
    const returned = readJson(await api('/account', { key: credentials.key }), 200, Account);
    expect(returned).toMatchObject({ plan: plan.plan, caps: plan.caps });
    for (const credential of [credentials.key, credentials.deployToken])
      expect(readJson(await api('/limits', { key: credential }), 200, Limits)).toEqual({
        ...plan.limits,
        blockedExtensions: [...BLOCKED_EXTENSIONS],
        platformDomain: 'localhost',
      });
  });

  it('returns all plans in display order at GET /plans, even without a credential', async () => {
    const listedPlans = DEFAULT_PLANS.map(({ plan, name, price, caps }) => ({ plan, name, price, caps }));
    for (const credential of [null, key, deployToken]) {
      const { plans } = readJson(await api('/plans', { key: credential }), 200, PlanList);
      expect(plans).toEqual(
        listedPlans.map((plan) => (plan.plan === 'team' ? { ...plan, closed: CLOSED_MESSAGE } : plan)),
      );
    }
  });

  it('returns the events of the account at GET /activities, newest first', async () => {
    const { deployment } = await server().publish({ b: 'b' }, { key: deployToken, fields: { via: 'cli' } });
    await api(`/deployments/${deployment}`, { method: 'PATCH', json: { labels: ['one'] } });
    await api(`/deployments/${deployment}`, { method: 'DELETE' });
    const { activities } = readJson(await api('/activities?limit=3'), 200, ActivityList);
    const entry = { created: sinceStart, deployment, authMethod: 'api-key' };
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

  it('replays a deploy unchanged after POST /account/claim', async () => {
    const headers = { 'Idempotency-Key': 'claimed-later' };
    const deploy = () => server().deploy({ 'index.html': 'again' }, { key: null, headers });
    const firstResponse = await deploy();
    const { claim } = firstResponse.json<{ claim: string }>();
    const claimResponse = await api('/account/claim', { method: 'POST', json: { claim } });
    expect(readJson(claimResponse, 200, Deployment)).not.toHaveProperty('expires');
    expect((await deploy()).text).toBe(firstResponse.text);
  });
});

describe('api §3: a deployment', () => {
  it('is found by its id or host name, in upper and lower case', async () => {
    const fields = { labels: '["one"]' };
    const { deployment, url, created } = await server().publish({ 'index.html': 'home' }, { key, fields });
    const expectedDeployment = {
      files: 1,
      size: 4,
      status: 'success',
      password: false,
      via: 'api',
      by: 'api-key',
      token: expect.stringMatching(TOKEN_ID),
      labels: ['one'],
      domains: [],
      created,
    };
    const host = new URL(url).host;
    for (const reference of [
      deployment,
      deployment.toUpperCase(),
      host.toUpperCase(),
      host.split(':')[0]!,
      encodeURIComponent(host),
      deployment.replace('-', '%2d'),
    ])
      expect(readJson(await api(`/deployments/${reference}`), 200, Deployment)).toEqual({
        deployment,
        url,
        ...expectedDeployment,
        domains: [],
      });
  });

  it('is no longer served after DELETE, cannot be changed, and disappears with the next sweep', async () => {
    const { deployment, url } = await server().publish({ 'index.html': 'home' }, { key });
    const path = `/deployments/${deployment}`;
    expect((await server().visit(url)).status).toBe(200);
    for (let i = 0; i < 2; i += 1) {
      const deleteResponse = await api(path, { method: 'DELETE' });
      expect(readJson(deleteResponse, 202, DeletedDeployment)).toEqual({ deployment, status: 'deleting' });
      expect((await server().visit(url)).status).toBe(404);
    }
    expectError(await api(path, { method: 'PATCH', json: { labels: [] } }), 'business_logic_error');
    await sweep(server().berth.core);
    expectError(await api(path), 'not_found');
  });
});

describe('api §5: a token', () => {
  const createToken = async (request?: object) => {
    const token = readJson(await api('/tokens', { method: 'POST', json: request }), 201, CreatedToken);
    server().secrets.add(token.secret);
    return token;
  };
  const revoke = (token: string, options: RequestOptions = {}) =>
    api(`/tokens/${token}`, { method: 'DELETE', ...options });

  it.each<[object | undefined, object]>([
    [undefined, { kind: 'deploy', labels: [], expires: null, used: null }],
    [{ kind: 'deploy' }, { kind: 'deploy' }],
    [{ kind: 'api' }, { kind: 'api' }],
    [{ labels: ['one', 'two', 'one'] }, { labels: ['one', 'two'] }],
    [{ kind: 'api', ttl: 365 * 86_400 }, { expires: expect.any(Number) }],
    [{ ttl: 3600, secret: 'ship-x', token: 'chosen0', used: 1, account: 'acc-x' }, { used: null }],
  ])('is created from the input %j', async (request, expected) => {
    const { secret, ...token } = await createToken(request);
    expect(token).toMatchObject(expected);
    expect(token.token).toMatch(TOKEN_ID);
    expect(token.token).not.toBe('chosen0');
    expect(secret).toMatch(CREDENTIAL);
    expect(readJson(await api(`/tokens/${token.token}`), 200, Token)).toEqual(token);
    expect((await api('/limits', { key: secret })).status).toBe(200);
    expect((await api('/account', { key: secret })).status).toBe(token.kind === 'api' ? 200 : 403);
  });

  it('has a secret that is sent only when the token is created', async () => {
    const { token, secret } = await createToken();
    for (const path of ['/tokens', `/tokens/${token}`, '/activities', '/account'])
      expect((await api(path)).text).not.toContain(secret.slice(-32));
  });

  it('can revoke itself, even if it is the last API key of its account', async () => {
    const { key } = await server().account();
    const { tokens } = (await api('/tokens', { key })).json<{ tokens: Token[] }>();
    const { token } = tokens.find(({ kind }) => kind === 'api')!;
    expect((await revoke(token, { key })).json()).toEqual({ token });
    expectError(await api('/account', { key }), 'authentication_failed');
  });

  it('T20: is revoked at once in every process', async () => {
    const { berth, database, dataDir } = server();
    const secondServer = await startBerth(testEnvironment(database, dataDir), berth.core.log);
    try {
      const secondClient = createTestClient(secondServer.config.port);
      const { token, secret } = await createToken();
      expect((await secondClient.api('/limits', { key: secret })).status).toBe(200);
      expect((await revoke(token)).status).toBe(200);
      expectError(await secondClient.api('/limits', { key: secret }), 'authentication_failed');
      expect((await secondClient.deploy({ a: 'a' }, { key: secret })).status).toBe(401);
    } finally {
      await secondServer.close();
    }
  });
});
