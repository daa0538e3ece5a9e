import { type Account, DEFAULT_PLANS, type Deployment, type PlanRow } from '@berth/contract';
import { DEFAULT_RATE_LIMITS } from '@berth/core';
import { addMember } from '@berth/core/operator';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectErrorAnswer } from '../standing-asserts.ts';
import { type Answer, OWNER_KEY } from '../test-server.ts';
import { DAY_SECONDS, HOME, PLATFORM_DOMAIN, startWorld, type World } from './world.ts';

const LIMITS = { maxFileSize: 1_000, maxFilesCount: 3, maxTotalSize: 1_500 };
const CAPS = { deployments: 2, platformDomains: 1, customDomains: 1, seats: 1 };
/** Longer than any password, with characters of more than one byte. */
const LETTERS = 'Grüße-'.repeat(30);

let world: World;
beforeAll(async () => void (world = await startWorld({ free: { limits: LIMITS }, pro: { caps: CAPS } })));
afterAll(() => world.close());

const send: World['send'] = (...args) => world.send(...args);

describe('api §3: Password length (deployment): "6 to 128 characters"', () => {
  it.each([
    [5, 400],
    [6, 201],
    [128, 201],
    [129, 400],
  ])('%i characters: %i', async (length, status) => {
    const password = LETTERS.slice(0, length);
    world.server.secrets.add(`"${password}"`);
    const answer = await world.deploy(HOME, { fields: { password } });
    if (status === 201)
      expect([answer.status, answer.json()]).toEqual([201, expect.objectContaining({ password: true })]);
    else expect(expectErrorAnswer(answer, 'validation_failed').message).toContain('6 to 128 characters');
  });
});

it('api §3: Anonymous deployment lifetime: "3 days unless claimed"', async () => {
  const [left, claimed] = [await world.publishAnonymous(), await world.publishAnonymous()];
  await send('POST', '/account/claim', { claim: claimed.hash });
  const statuses = async () => [(await world.visit(left.url)).status, (await world.visit(claimed.url)).status];
  const age = Date.now() / 1000 - left.created;
  expect(await world.later(3 * DAY_SECONDS - age - 10, statuses)).toEqual([200, 200]);
  expect(await world.later(3 * DAY_SECONDS, statuses)).toEqual([404, 200]);
  await world.later(3 * DAY_SECONDS, async () =>
    expectErrorAnswer(await send('POST', '/account/claim', { claim: left.hash }), 'not_found'),
  );
});

describe('api §1: pages', () => {
  let key: string;
  beforeAll(async () => {
    const { account, key: made } = await world.server.account();
    key = made;
    await world.server.database.query(
      `insert into activity (account_id, event, auth_method, created, meta)
       select $1, 'account.update', 'operator', now(), '{}' from generate_series(1, 130)`,
      [account],
    );
  });
  const sizeOf = async (query: string) =>
    (await send('GET', `/activities${query}`, undefined, { key })).json<{ activities: object[] }>().activities.length;

  it('Default page size: 50', async () => expect(await sizeOf('')).toBe(50));
  it('Maximum page size (`limit`): 100', async () =>
    expect([await sizeOf('?limit=99'), await sizeOf('?limit=100'), await sizeOf('?limit=101')]).toEqual([
      99, 100, 100,
    ]));
});

describe('api §3: `Idempotency-Key` length: "up to 256 characters"', () => {
  it.each([
    [1, 201],
    [256, 201],
    [257, 400],
    [0, 400],
  ])('%i characters: %i', async (length, status) => {
    const answer = await world.deploy(HOME, { headers: { 'Idempotency-Key': 'k'.repeat(length) } });
    if (status === 201) expect(answer.status).toBe(201);
    else expectErrorAnswer(answer, 'validation_failed');
  });
});

describe('api §3: idempotency', () => {
  const deploy = (key: string, credential: string | null = world.mine.key) =>
    world.deploy(HOME, { key: credential, headers: { 'Idempotency-Key': key } });
  const count = async () =>
    (await send('GET', '/account')).json<{ usage: { deployments: number } }>().usage.deployments;

  it('"then the original 201 response is replayed and the response carries `Idempotency-Replay: true`; no second deployment is created"', async () => {
    const first = await deploy('rule 1');
    expect([first.status, first.headers['idempotency-replay']]).toEqual([201, undefined]);
    const before = await count();
    const again = await deploy('rule 1');
    expect([again.status, again.headers['idempotency-replay'], again.text]).toEqual([201, 'true', first.text]);
    expect(await count()).toBe(before);
  });

  it('"Idempotency applies to deploy endpoints.": anonymous ones too', async () => {
    const first = await deploy('anonymous', null);
    expect((await deploy('anonymous', null)).text).toBe(first.text);
  });

  it('Idempotency replay window: "24 hours"', async () => {
    const first = await deploy('window');
    await world.later(DAY_SECONDS - 60, async () => expect((await deploy('window')).text).toBe(first.text));
    await world.later(DAY_SECONDS, async () => {
      const later = await deploy('window');
      expect([later.status, later.headers['idempotency-replay']]).toEqual([201, undefined]);
      expect(later.json<Deployment>().deployment).not.toBe(first.json<Deployment>().deployment);
    });
  });
});

describe('api §7: rate limiting', () => {
  beforeAll(() => {
    world.server.berth.core.rateLimits = {
      ...DEFAULT_RATE_LIMITS,
      global: { count: 10, perSeconds: 3_600 },
      deploy: { count: 3, perSeconds: 3_600 },
      anonymous: { count: 2, perSeconds: 3_600 },
    };
  });
  afterAll(() => void (world.server.berth.core.rateLimits = null));

  function expectExhausted(answer: Answer): void {
    expectErrorAnswer(answer, 'rate_limit_exceeded');
    expect(Number(answer.headers['retry-after'])).toBeGreaterThanOrEqual(1);
  }

  it('"a per-account global limiter applies"', async () => {
    const { key, deployToken } = await world.server.account();
    for (let call = 0; call < 10; call += 1)
      expect((await send('GET', '/ping', undefined, { key: call % 2 ? key : deployToken })).status).toBe(200);
    for (const credential of [key, deployToken])
      expectExhausted(await send('GET', '/ping', undefined, { key: credential }));
    expect((await send('GET', '/ping', undefined, { key: OWNER_KEY })).status).toBe(200);
  });

  it('"Deploy endpoints are additionally limited per credential."', async () => {
    const { key, deployToken } = await world.server.account();
    for (let call = 0; call < 3; call += 1) expect((await world.deploy(HOME, { key })).status).toBe(201);
    expectExhausted(await world.deploy(HOME, { key }));
    expect((await send('GET', '/ping', undefined, { key })).status).toBe(200);
    expect((await world.deploy(HOME, { key: deployToken })).status).toBe(201);
  });

  it('"Anonymous public deploys have a tighter per-IP limit than authenticated requests."', async () => {
    const deploy = (address: string) => world.deploy(HOME, { key: null, headers: { 'X-Forwarded-For': address } });
    for (let call = 0; call < 2; call += 1) expect((await deploy('198.51.100.1')).status).toBe(201);
    expectExhausted(await deploy('198.51.100.1'));
    expect((await deploy('198.51.100.2')).status).toBe(201);
    const perSecond = ({ count, perSeconds }: { count: number; perSeconds: number }) => count / perSeconds;
    const { anonymous, deploy: authenticated } = DEFAULT_RATE_LIMITS;
    expect(perSecond(anonymous)).toBeLessThan(perSecond(authenticated));
  });

  it('"On exhaustion the status is 429 with `Retry-After`."', async () => {
    const { key } = await world.server.account();
    const ping = () => send('GET', '/ping', undefined, { key });
    for (let call = 0; call < 10; call += 1) await ping();
    const refused = await ping();
    expectExhausted(refused);
    await world.later(Number(refused.headers['retry-after']), async () => expect((await ping()).status).toBe(200));
  });
});

describe('api §3: per-deploy limits', () => {
  const OVER: [keyof typeof LIMITS, () => Record<string, string>][] = [
    ['maxFileSize', () => ({ a: 'x'.repeat(1_001) })],
    ['maxFilesCount', () => ({ a: '1', b: '2', c: '3', d: '4' })],
    ['maxTotalSize', () => ({ a: 'x'.repeat(751), b: 'x'.repeat(750) })],
  ];
  const FITS: Record<string, string>[] = [
    { a: 'x'.repeat(1_000) },
    { a: '1', b: '2', c: '3' },
    { a: 'x'.repeat(750), b: 'x'.repeat(750) },
  ];

  it('"depend on the plan, are reported by `GET /limits`"', async () => {
    for (const { plan, limits } of DEFAULT_PLANS) {
      const { key } = await world.server.account(plan);
      expect((await send('GET', '/limits', undefined, { key })).json()).toMatchObject(
        plan === 'free' ? LIMITS : limits,
      );
    }
  });

  it.each(OVER)('"When a bundle exceeds them, the status is 413.": %s', async (limit, files) => {
    const { key } = await world.server.account('free');
    const body = expectErrorAnswer(await world.deploy(files(), { key }), 'payload_too_large');
    expect(body.details).toMatchObject({ limit, max: LIMITS[limit] });
    expect((await world.deploy(files())).status).toBe(201);
  });

  it.each(OVER)('"Anonymous deploys use the Free limits.": %s', async (limit, files) => {
    const body = expectErrorAnswer(await world.deploy(files(), { key: null }), 'payload_too_large');
    expect(body.details).toMatchObject({ limit, max: LIMITS[limit] });
  });

  it('"and are not an account cap that accumulates"', async () => {
    const { key } = await world.server.account('free');
    for (const files of [...FITS, ...FITS]) expect((await world.deploy(files, { key })).status).toBe(201);
  });
});

describe('api §6: account caps', () => {
  it('"depend on the plan, are reported in `GET /plans` and `GET /account`, and are `null` for a plan arranged directly"', async () => {
    const { plans } = (await send('GET', '/plans')).json<{ plans: PlanRow[] }>();
    for (const { plan, price, caps } of plans) {
      const { key } = await world.server.account(plan);
      expect((await send('GET', '/account', undefined, { key })).json<Account>().caps).toEqual(caps);
      expect(caps === null).toBe(price === 'contact');
    }
    expect(plans.find(({ plan }) => plan === 'pro')!.caps).toMatchObject(CAPS);
  });

  it.each<[string, number, (key: string, n: number) => Promise<Answer>]>([
    ['deployments', 2, (key) => world.deploy(HOME, { key })],
    ['platformDomains', 1, (key, n) => send('PUT', `/domains/capped-${n}.${PLATFORM_DOMAIN}`, {}, { key })],
    ['customDomains', 1, (key, n) => send('PUT', `/domains/www.capped-${n}.dev`, {}, { key })],
  ])('"When a plan limit is reached, the status is 403.": %s', async (cap, limit, take) => {
    const { key } = await world.server.account('pro');
    for (let n = 0; n < limit; n += 1) expect((await take(key, n)).status).toBe(201);
    expect(expectErrorAnswer(await take(key, limit), 'forbidden').details).toEqual({ cap, used: limit, limit });
    expect((await take((await world.server.account('scale')).key, limit)).status).toBe(201);
  });

  it('"When a plan limit is reached, the status is 403.": seats', async () => {
    const { account } = await world.server.account('pro');
    await expect(addMember(world.server.berth.core, account, 'second@berth.test')).rejects.toMatchObject({
      status: 403,
      details: { cap: 'seats', used: 1, limit: 1 },
    });
  });
});

it('api §6: "Prices are whole US cents"', async () => {
  const { plans } = (await send('GET', '/plans')).json<{ plans: PlanRow[] }>();
  const prices = plans.flatMap(({ price }) => (price === 'contact' ? [] : [price.month, price.year]));
  expect(prices).toHaveLength(6);
  for (const cents of prices) expect(Number.isSafeInteger(cents) && cents >= 0).toBe(true);
});
