import { randomUUID } from 'node:crypto';
import { refusal, useTestCore } from '@berth/testing/core';
import { beforeEach, describe, expect, it } from 'vitest';
import type { AccountCaller } from '../../../src/core.ts';
import { removeMember } from '../../../src/services/accounts/members.ts';
import { listTokens } from '../../../src/services/accounts/tokens.ts';
import { listActivities } from '../../../src/services/activities/activities.ts';
import { authenticate } from '../../../src/services/authentication.ts';
import { DEFAULT_RATE_LIMITS } from '../../../src/services/rate-limits.ts';
import { decideDeviceGrant, readDeviceGrant } from '../../../src/services/sign-in/device-approval.ts';
import { beginDeviceGrant, labelOf, redeemDeviceGrant } from '../../../src/services/sign-in/device-grants.ts';
import type { SessionScope } from '../../../src/services/sign-in/session-scope.ts';

const test = await useTestCore();
const { core } = test;
const PROGRAM = { client: 'berth-cli on ada-laptop', address: '192.0.2.7' };
let owner: AccountCaller;
let scope: SessionScope;
beforeEach(async () => {
  ({ caller: owner } = await test.account('team'));
  scope = await signedIn();
});

/** Adds a member to the account, and returns the scope of a request of that person. */
async function signedIn(): Promise<SessionScope> {
  const person = `per-${randomUUID()}`;
  const email = `${person}@test`;
  await test.database.query('insert into person (id, email, created) values ($1, $2, now())', [person, email]);
  await test.database.query(
    `insert into member (account_id, person_id, email, role, created) values ($1, $2, $3, 'member', now())`,
    [owner.account, person, email],
  );
  const session = { email, proved: core.now(), standing: { state: 'active' as const, stateReason: null } };
  const member = { person, role: 'member' as const };
  return {
    core,
    browser: null!,
    caller: { ...owner, credential: 'session', authMethod: 'session', session, member },
  };
}

const begin = () => beginDeviceGrant(core, PROGRAM);
const decide = (code: string, decision: 'approved' | 'denied' = 'approved', by = scope) =>
  decideDeviceGrant(by, { code, decision });
const callerOf = async (key: string) => (await authenticate(core, `Bearer ${key}`, '192.0.2.1')) as AccountCaller;

describe('api §13: the device flow', () => {
  it('gives a program an API key once, after a person has approved it', async () => {
    const { deviceCode, userCode, ...times } = await begin();
    expect(times).toEqual({ expiresInSeconds: 600, intervalSeconds: 5 });
    expect(userCode).toMatch(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/);
    expect(await redeemDeviceGrant(core, deviceCode)).toEqual({ error: 'authorization_pending' });
    expect(await decide(userCode.toLowerCase().replace('-', ' '))).toMatchObject(PROGRAM);
    test.advance(5);
    const answer = await redeemDeviceGrant(core, deviceCode);
    const { key } = answer as { key: string };
    expect(key).toMatch(/^ship-[0-9a-f]{32}$/);
    const member = { person: scope.caller.member.person, role: 'member' };
    expect(await callerOf(key)).toMatchObject({ account: owner.account, credential: 'api', member });
    expect((await listTokens({ core, caller: owner }, { limit: 1 })).tokens).toMatchObject([
      { kind: 'api', labels: ['berth-cli-on-ada-laptop'] },
    ]);
    expect((await listActivities({ core, caller: owner }, { limit: 2 })).activities).toMatchObject([
      { event: 'token.create', authMethod: 'session' },
      { event: 'device.approve', meta: { client: PROGRAM.client, email: scope.caller.session.email } },
    ]);
    expect(await redeemDeviceGrant(core, deviceCode)).toEqual({ error: 'invalid_grant' });
    expect(await refusal(decide(userCode))).toMatchObject({ code: 'not_found' });
  });

  it('gives only one of 20 requests the key', async () => {
    const { deviceCode, userCode } = await begin();
    await decide(userCode);
    const answers = await Promise.all(Array.from({ length: 20 }, () => redeemDeviceGrant(core, deviceCode)));
    expect(answers.filter((answer) => 'key' in answer)).toHaveLength(1);
  });

  it('stores no code in clear text', async () => {
    const { deviceCode, userCode } = await begin();
    const rows = JSON.stringify(await test.database.query('select * from device_grant'));
    for (const secret of [deviceCode, userCode, userCode.replace('-', '')]) expect(rows).not.toContain(secret);
  });

  it('asks a program that comes too often to wait 5 seconds longer each time', async () => {
    const { deviceCode } = await begin();
    const poll = async (seconds: number) => (test.advance(seconds), redeemDeviceGrant(core, deviceCode));
    const [pending, slower] = [{ error: 'authorization_pending' }, { error: 'slow_down' }];
    expect([await poll(0), await poll(5), await poll(1), await poll(6), await poll(15)]).toEqual([
      pending,
      pending,
      slower,
      slower,
      pending,
    ]);
  });

  it('refuses a program that a person denied, also after a later approval', async () => {
    const { deviceCode, userCode } = await begin();
    await decide(userCode, 'denied');
    expect(await refusal(decide(userCode))).toMatchObject({ code: 'not_found' });
    expect(await redeemDeviceGrant(core, deviceCode)).toEqual({ error: 'access_denied' });
  });

  it('ends after 10 minutes', async () => {
    const { deviceCode, userCode } = await begin();
    test.advance(601);
    expect(await redeemDeviceGrant(core, deviceCode)).toEqual({ error: 'expired_token' });
    expect(await refusal(decide(userCode))).toMatchObject({ code: 'not_found' });
  });

  it('gives no key if the person is no longer a member', async () => {
    const { deviceCode, userCode } = await begin();
    await decide(userCode);
    await removeMember({ core, caller: owner }, scope.caller.session.email);
    expect(await redeemDeviceGrant(core, deviceCode)).toEqual({ error: 'access_denied' });
  });

  it('ends the key with the membership', async () => {
    const { deviceCode, userCode } = await begin();
    await decide(userCode);
    const { key } = (await redeemDeviceGrant(core, deviceCode)) as { key: string };
    await removeMember({ core, caller: owner }, scope.caller.session.email);
    expect(await refusal(callerOf(key))).toMatchObject({ code: 'authentication_failed' });
  });

  it('counts only wrong codes of a person against the rate limit', async () => {
    const limited = { ...scope, core: { ...core, rateLimits: DEFAULT_RATE_LIMITS } };
    const { userCode } = await begin();
    for (let n = 0; n < 15; n += 1) await readDeviceGrant(limited, userCode);
    for (let n = 0; n < 10; n += 1)
      expect(await refusal(readDeviceGrant(limited, 'BBBB-BBBB'))).toMatchObject({ code: 'not_found' });
    expect(await refusal(readDeviceGrant(limited, userCode))).toMatchObject({ code: 'rate_limit_exceeded' });
  });

  it.each([
    ['berth-cli on ada-laptop', 'berth-cli-on-ada-laptop'],
    ['Café, second floor', 'cafe-second-floor'],
    ['a program with a very long name', 'a-program-with-a-very-lon'],
    ['日本', 'device'],
  ])('labels the key of "%s" with %s', (client, label) => {
    expect(labelOf(client)).toBe(label);
  });
});
