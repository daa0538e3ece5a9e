import { ERROR_STATUS, type ErrorCode } from '@berth/contract';
import { DEFAULT_RATE_LIMITS } from '@berth/core';
import { setAccountState } from '@berth/core/operator';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectErrorAnswer, expectRefusal } from '../standing-asserts.ts';
import type { Answer } from '../test-server.ts';
import { HOME, PLATFORM_DOMAIN, startWorld, type World } from './world.ts';

const UNKNOWN_CLAIM = '0123456789abcdef'.repeat(2);

let world: World;
let site: string;
let terminated: string;
/** API keys of an account with small limits, and of one with caps of zero. */
let small: string;
let full: string;
beforeAll(async () => {
  world = await startWorld({
    free: { limits: { maxFileSize: 100, maxFilesCount: 2, maxTotalSize: 150 } },
    pro: { caps: { deployments: 0 } },
  });
  [small, full] = [(await world.server.account('free')).key, (await world.server.account('pro')).key];
  site = (await world.publish()).deployment;
  await send('PUT', `/domains/shown.${PLATFORM_DOMAIN}`, { deployment: site });
  const { account, key } = await world.server.account();
  await setAccountState(world.server.berth.core, account, 'terminated');
  terminated = key;
});
afterAll(() => world.close());

const send: World['send'] = (...args) => world.send(...args);

/** Limits an account to one claim an hour while `work` runs. */
async function withClaimLimit<T>(work: () => Promise<T>): Promise<T> {
  const { core } = world.server.berth;
  core.rateLimits = { ...DEFAULT_RATE_LIMITS, claim: { count: 1, perSeconds: 3_600 } };
  try {
    return await work();
  } finally {
    core.rateLimits = null;
  }
}

describe('api §2: the codes of success', () => {
  it.each<[string, number, () => Promise<Answer>]>([
    ['"200 Success: read"', 200, () => send('GET', `/deployments/${site}`)],
    ['"200 Success: […] update"', 200, () => send('PATCH', `/deployments/${site}`, { labels: [] })],
    [
      '"200 Success: […] synchronous delete"',
      200,
      async () => {
        await send('PUT', `/domains/short.${PLATFORM_DOMAIN}`, {});
        return send('DELETE', `/domains/short.${PLATFORM_DOMAIN}`);
      },
    ],
    ['"201 Created: `POST /deployments`"', 201, () => world.deploy()],
    [
      '"201 Created: […] `POST /tokens`"',
      201,
      async () => {
        const answer = await send('POST', '/tokens', {});
        world.server.secrets.add(answer.json<{ secret: string }>().secret);
        return answer;
      },
    ],
    [
      '"202 Accepted: `DELETE /deployments/{deployment}` (asynchronous cleanup)."',
      202,
      async () => send('DELETE', `/deployments/${(await world.publish()).deployment}`),
    ],
  ])('%s', async (_, status, ask) => {
    const answer = await ask();
    expect([answer.status, answer.text]).toEqual([status, expect.stringMatching(/^\{/)]);
    expect(answer.json()).not.toHaveProperty('error');
  });
});

describe('api §2: the codes of errors, each with its tag, and "Every error body has the shape given in part 2"', () => {
  it.each<[string, ErrorCode, () => Promise<Answer>, details?: object]>([
    [
      '"400 Validation error: invalid input"',
      'validation_failed',
      () => send('GET', '/deployments?limit=none'),
      { issues: [{ path: 'limit' }] },
    ],
    [
      '"400 Validation error: […] missing fields."',
      'validation_failed',
      () => send('PATCH', `/deployments/${site}`, {}),
      { issues: [{ path: 'labels' }] },
    ],
    ['"400": a missing field of an upload', 'validation_failed', () => world.deploy({})],
    [
      '"400": a body that is not JSON',
      'validation_failed',
      () => send('POST', '/tokens', undefined, { body: '{', headers: { 'Content-Type': 'application/json' } }),
    ],
    [
      '"401 Authentication error: missing […] credentials."',
      'authentication_failed',
      () => send('GET', '/account', undefined, { key: null }),
    ],
    [
      '"401 Authentication error: […] invalid credentials."',
      'authentication_failed',
      () => send('GET', '/account', undefined, { key: `ship-${'0'.repeat(31)}f` }),
    ],
    ['"403 Forbidden: account terminated"', 'forbidden', () => send('GET', '/account', undefined, { key: terminated })],
    [
      '"403 Forbidden: […] plan limit reached"',
      'forbidden',
      () => world.deploy({ a: 'a' }, { key: full }),
      { cap: 'deployments', used: 0, limit: 0 },
    ],
    [
      '"403 Forbidden: […] operation not permitted."',
      'forbidden',
      () => send('GET', '/account', undefined, { key: world.mine.deployToken }),
    ],
    ['"404 Not found: resource does not exist"', 'not_found', () => send('GET', '/deployments/calm-otter-zzzzzzz')],
    [
      '"404 Not found: […] or belongs to another account."',
      'not_found',
      () => send('GET', `/deployments/${site}`, undefined, { key: world.theirs.key }),
    ],
    ['"404": an unknown address', 'not_found', () => send('GET', '/nowhere')],
    [
      '"413 Payload too large: the bundle exceeds plan limits.": a file',
      'payload_too_large',
      () => world.deploy({ a: 'x'.repeat(101) }, { key: small }),
      { limit: 'maxFileSize', max: 100 },
    ],
    [
      '"413 […]": the number of files',
      'payload_too_large',
      () => world.deploy({ a: '1', b: '2', c: '3' }, { key: small }),
      { limit: 'maxFilesCount', max: 2 },
    ],
    [
      '"413 […]": the sum of sizes',
      'payload_too_large',
      () => world.deploy({ a: 'x'.repeat(99), b: 'x'.repeat(99) }, { key: small }),
      { limit: 'maxTotalSize', max: 150 },
    ],
    [
      '"422 Business rule: the resource\'s state does not allow the operation."',
      'business_logic_error',
      () => send('DELETE', `/deployments/${site}`),
      { domains: [`shown.${PLATFORM_DOMAIN}`] },
    ],
  ])('%s', async (_, code, ask, details) => {
    const body = await expectRefusal(world.server, code, ask);
    expect(body).toMatchObject({ error: code, status: ERROR_STATUS[code], message: expect.any(String) });
    if (details) expect(body.details).toMatchObject(details);
  });

  it('"Known type tags: `validation_failed`, `not_found`, `forbidden`, `rate_limit_exceeded`."', () => {
    expect(ERROR_STATUS).toMatchObject({
      validation_failed: 400,
      not_found: 404,
      forbidden: 403,
      rate_limit_exceeded: 429,
    });
  });
});

describe('api §2: the rules', () => {
  it('"429 Rate limited", and rule 1: "the status is 429, the tag is `rate_limit_exceeded`, and `Retry-After` holds seconds."', async () => {
    const { key } = await world.server.account();
    const claim = () => send('POST', '/account/claim', { claim: UNKNOWN_CLAIM }, { key });
    await withClaimLimit(async () => {
      expectErrorAnswer(await claim(), 'not_found');
      const answer = await claim();
      const seconds = Number(answer.headers['retry-after']);
      expect(expectErrorAnswer(answer, 'rate_limit_exceeded').details).toEqual({ retryAfter: seconds });
      expect(Number.isInteger(seconds) && seconds >= 1 && seconds <= 3_600).toBe(true);
    });
  });

  it('"429 […] retry after the number of seconds in the `Retry-After` header"', async () => {
    const { key } = await world.server.account();
    const claim = () => send('POST', '/account/claim', { claim: UNKNOWN_CLAIM }, { key });
    await withClaimLimit(async () => {
      expectErrorAnswer(await claim(), 'not_found');
      const seconds = Number((await claim()).headers['retry-after']);
      await world.later(seconds - 5, async () => expectErrorAnswer(await claim(), 'rate_limit_exceeded'));
      await world.later(seconds, async () => expectErrorAnswer(await claim(), 'not_found'));
    });
  });

  it('rule 2: "When a deployment is not found or belongs to another account, then the status is 404 and the tag is `not_found`."', async () => {
    for (const method of ['GET', 'PATCH', 'DELETE'])
      for (const [id, key] of [
        ['calm-otter-zzzzzzz', world.mine.key],
        [site, world.theirs.key],
      ] as const)
        expectErrorAnswer(
          await send(method, `/deployments/${id}`, method === 'PATCH' ? { labels: [] } : undefined, { key }),
          'not_found',
        );
  });

  it('rule 3: "A failed deploy attempt is not stored under an idempotency key; a retry after an error runs fresh."', async () => {
    const headers = { 'Idempotency-Key': 'failed first' };
    const wrong = await world.deploy(HOME, { headers, fields: { checksums: `["${'0'.repeat(32)}"]` } });
    expectErrorAnswer(wrong, 'validation_failed');
    const retry = await world.deploy(HOME, { headers });
    expect([retry.status, retry.headers['idempotency-replay']]).toEqual([201, undefined]);
    expect((await world.deploy(HOME, { headers })).headers['idempotency-replay']).toBe('true');
  });
});
