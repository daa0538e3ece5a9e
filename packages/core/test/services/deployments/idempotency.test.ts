import { DEFAULT_PLANS } from '@berth/contract';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ANONYMOUS, createTestCore, deploySite, type TestFiles } from '@berth/testing/core';
import { expectSound, stateOf, sweepAll } from '@berth/testing/invariants';
import type { AccountCaller, Caller } from '../../../src/core.ts';
import { insertApiKey } from '../../../src/services/accounts/accounts.ts';
import { authenticate } from '../../../src/services/authentication.ts';
import { deleteDeployment } from '../../../src/services/deployments/deployments.ts';
import { readIdempotencyKey } from '../../../src/services/deployments/idempotency.ts';
import { createPlans } from '../../../src/services/accounts/plans.ts';

const DAY_SECONDS = 86_400;
const PLAN = {
  ...DEFAULT_PLANS[0]!,
  caps: { deployments: 2, platformDomains: 0, customDomains: 0, seats: 1 },
  limits: { maxFileSize: 10_000, maxFilesCount: 10, maxTotalSize: 10_000 },
};
const SITE = { 'index.html': 'hello', 'a/b.html': 'world' };

let caller: AccountCaller;
const test = await createTestCore({ plans: createPlans([PLAN]) });
afterAll(() => test.close());
beforeEach(async () => {
  ({ caller } = await test.account());
});
afterEach(() => expectSound(test));

const deploy = (key: string, files: TestFiles = SITE, fields: Record<string, string> = {}) =>
  deploySite(test.core, caller, files, { key, fields });

describe('T25: a deploy with an idempotency key', () => {
  async function deployAtOnce(who: Caller) {
    const send = () => deploySite(test.core, who, SITE, { key: 'at once' });
    const outcomes = await Promise.all(Array.from({ length: 40 }, send));
    expect(outcomes.filter(({ replayed }) => !replayed)).toHaveLength(1);
    expect(new Set(outcomes.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    return outcomes[0]!.body;
  }

  it('creates one deployment if it is sent 40 times at once, and every response is the same', async () => {
    const stateBefore = await stateOf(test);
    await deployAtOnce(caller);
    const stateAfter = await stateOf(test);
    expect(stateAfter).toMatchObject({
      deployment: stateBefore.deployment + 1,
      idempotency_record: stateBefore.idempotency_record + 1,
      activity: stateBefore.activity + 1,
      counters: stateBefore.counters + 1,
      pack: stateBefore.pack + 1,
      activePacks: 0,
    });
    expect(await Array.fromAsync(test.core.packs.list())).toHaveLength(stateAfter.pack);
  });

  it('creates one anonymous deployment if it is sent 40 times at once, and every response has the same claim URL', async () => {
    expect(await deployAtOnce(ANONYMOUS)).toMatchObject({ claim: expect.any(String) });
  });

  it('can be repeated when the account has reached its cap, and the repetition does not count', async () => {
    const firstDeploy = await deploy('one');
    await deploy('two');
    const stateBefore = await stateOf(test);
    expect(await deploy('one')).toEqual({ ...firstDeploy, replayed: true, packUsed: false });
    expect(await stateOf(test)).toEqual(stateBefore);
  });

  it('returns the stored response if it is repeated, even if the deployment has been deleted since', async () => {
    const firstDeploy = await deploy('deleted');
    await deleteDeployment({ core: test.core, caller }, firstDeploy.body.deployment);
    await sweepAll(test);
    expect((await deploy('deleted')).body).toEqual(firstDeploy.body);
  });
});

describe('api §3: a deploy with an idempotency key that was used before', () => {
  const fields = { labels: '["one","two"]', via: 'cli', ttl: '3600' };

  it.each<[string, TestFiles, Record<string, string>]>([
    ['the order of its files', { 'a/b.html': 'world', 'index.html': 'hello' }, fields],
    ['leading slashes of its paths', { '/index.html': 'hello', './a/b.html': 'world' }, fields],
    ['additional junk files', { ...SITE, '.DS_Store': 'junk' }, fields],
    ['the notation of its fields', SITE, { labels: ' ["one", "two", "one"]', via: 'CLI', ttl: '3600' }],
  ])('returns the stored response if it differs only in %s', async (_, files, otherFields) => {
    const firstDeploy = await deploy('same', SITE, fields);
    expect(await deploy('same', files, otherFields)).toMatchObject({ replayed: true, body: firstDeploy.body });
  });

  it.each<[string, TestFiles, Record<string, string>]>([
    ['the bytes of a file', { ...SITE, 'index.html': 'Hello' }, fields],
    ['the path of a file', { 'home.html': 'hello', 'a/b.html': 'world' }, fields],
    ['an additional file', { ...SITE, extra: '' }, fields],
    ['a missing file', { 'index.html': 'hello' }, fields],
    ['the swapped bytes of two files', { 'index.html': 'world', 'a/b.html': 'hello' }, fields],
    ['its labels', SITE, { ...fields, labels: '["one"]' }],
    ['the order of its labels', SITE, { ...fields, labels: '["two","one"]' }],
    ['its via', SITE, { ...fields, via: 'sdk' }],
    ['its ttl', SITE, { ...fields, ttl: '3601' }],
    ['missing fields', SITE, {}],
  ])('is refused with 422 if it differs in %s', async (_, files, otherFields) => {
    const firstDeploy = await deploy('other', SITE, fields);
    const stateBefore = await stateOf(test);
    await expect(deploy('other', files, otherFields)).rejects.toMatchObject({
      code: 'business_logic_error',
      status: 422,
      details: { state: expect.any(String) },
    });
    expect(await stateOf(test)).toEqual(stateBefore);
    expect(await deploy('other', SITE, fields)).toMatchObject({ replayed: true, body: firstDeploy.body });
  });
});

it('api §3: a repeated deploy must have the same password, apart from white space around it', async () => {
  const firstDeploy = await deploy('password', SITE, { password: 'secret' });
  const repeatedDeploy = await deploy('password', SITE, { password: ' secret ' });
  expect(repeatedDeploy).toMatchObject({ replayed: true, body: firstDeploy.body });
  for (const fields of [{ password: 'Secret' }, undefined])
    await expect(deploy('password', SITE, fields)).rejects.toMatchObject({ code: 'business_logic_error' });
});

describe('api §3: the scope of an idempotency key', () => {
  it('is the credential: a deploy with another API key of the same account creates another deployment', async () => {
    const secret = await test.core.database.transaction(async (em) => insertApiKey(em, test.core, caller.account));
    const secondCaller = (await authenticate(test.core, `Bearer ${secret}`, '')) as AccountCaller;
    const firstDeploy = await deploy('shared');
    const otherDeploy = await deploySite(test.core, secondCaller, SITE, { key: 'shared' });
    expect(otherDeploy.replayed).toBe(false);
    expect(otherDeploy.body.deployment).not.toBe(firstDeploy.body.deployment);
  });

  it('is the address of an anonymous client: a deploy from another address creates another deployment', async () => {
    const firstDeploy = await deploySite(test.core, ANONYMOUS, SITE, { key: 'address' });
    const otherDeploy = await deploySite(test.core, { ...ANONYMOUS, address: '192.0.2.2' }, SITE, { key: 'address' });
    expect(otherDeploy.replayed).toBe(false);
    expect(otherDeploy.body.claim).not.toBe(firstDeploy.body.claim);
  });

  it('is different for every credential and every address, even if an address looks like a credential', () => {
    const scopes = [
      caller,
      { ...caller, token: 'another' },
      { ...caller, account: 'another' },
      ANONYMOUS,
      { kind: 'anonymous' as const, address: `${caller.account}:${caller.token}` },
    ].map((who) => readIdempotencyKey('k', who)!.scope);
    expect(new Set(scopes).size).toBe(scopes.length);
  });
});

describe('api §3: the outcome of a deploy with an idempotency key', () => {
  it('is returned to repeated deploys for 24 hours; after that, the key can be used for another deploy', async () => {
    const firstDeploy = await deploy('window');
    test.advance(DAY_SECONDS - 600);
    await sweepAll(test);
    expect((await deploy('window')).replayed).toBe(true);
    test.advance(600);
    const nextDeploy = await deploy('window', { other: 'body' });
    expect(nextDeploy.replayed).toBe(false);
    expect(nextDeploy.body.deployment).not.toBe(firstDeploy.body.deployment);
    expect((await deploy('window', { other: 'body' })).body).toEqual(nextDeploy.body);
  });

  it('is deleted by the sweep after 24 hours', async () => {
    await deploy('forgotten');
    test.advance(DAY_SECONDS + 1);
    await sweepAll(test);
    expect(await test.database.query(`select 1 from idempotency_record where key = 'forgotten'`)).toEqual([]);
  });
});

describe('api §2: only the outcome of a successful deploy is stored', () => {
  it.each<[string, TestFiles, Record<string, string>]>([
    ['was refused for a field', SITE, { labels: '[1]' }],
    ['was refused for a file', { ...SITE, 'a.exe': '' }, {}],
    ['was too large', { big: 'x'.repeat(10_001) }, {}],
  ])('a deploy that %s can be repeated with the same key', async (_, files, fields) => {
    await expect(deploy('free', files, fields)).rejects.toMatchObject({ status: expect.any(Number) });
    expect((await deploy('free')).replayed).toBe(false);
  });

  it('a deploy that was refused at the cap on deployments can be repeated with the same key', async () => {
    const { body } = await deploy('1');
    await deploy('2');
    await expect(deploy('3')).rejects.toMatchObject({ code: 'forbidden' });
    await deleteDeployment({ core: test.core, caller }, body.deployment);
    expect((await deploy('3')).replayed).toBe(false);
  });
});

describe('T25: the stored response', () => {
  it('is encrypted: the table contains neither the claim hash nor the id of the deployment', async () => {
    const { body } = await deploySite(test.core, ANONYMOUS, SITE, { key: 'encrypted' });
    const [row] = await test.database.query<{ response: Buffer; text: string }>(
      `select response, r::text as text from idempotency_record r where key = 'encrypted'`,
    );
    for (const text of [body.claim!, body.claim!.split('/').at(-1)!, body.deployment]) {
      expect(row!.response.includes(text)).toBe(false);
      expect(row!.text).not.toContain(text);
      expect(row!.text).not.toContain(Buffer.from(text).toString('hex'));
    }
  });

  it.each([
    ['it was moved to another key', 'moved', `key = 'moved'`],
    ['a bit of it was flipped', 'kept', 'response = set_byte(response, 20, get_byte(response, 20) # 1)'],
  ])('is not returned if %s', async (_, key, change) => {
    await deploySite(test.core, ANONYMOUS, SITE, { key: 'kept' });
    await test.database.query(`update idempotency_record set ${change} where key = 'kept'`);
    await expect(deploySite(test.core, ANONYMOUS, SITE, { key })).rejects.toThrow();
    await test.database.query('delete from idempotency_record where key = $1', [key]);
  });

  it('has a fingerprint that depends on the secret key of the server', async () => {
    const otherCore = await createTestCore({ plans: createPlans([PLAN]) });
    const fingerprints = [];
    for (const { core, database } of [test, otherCore]) {
      await deploySite(core, ANONYMOUS, SITE, { key: 'mac', fields: { password: 'weak password' } });
      const sql = `select encode(fingerprint, 'hex') as text from idempotency_record where key = 'mac'`;
      fingerprints.push(...(await database.query<{ text: string }>(sql)));
    }
    expect(new Set(fingerprints.map(({ text }) => text)).size).toBe(2);
    await otherCore.close();
  });
});

describe('api §1: an Idempotency-Key', () => {
  it.each([
    ['k', 'k'],
    ['  two words\t', 'two words'],
    [` ${'x'.repeat(256)} `, 'x'.repeat(256)],
  ])('can be %j, which is read as %j', (header, key) => {
    expect(readIdempotencyKey(header, ANONYMOUS)).toMatchObject({ key });
  });

  it.each([[''], ['   '], ['x'.repeat(257)]])('cannot be %j, which gets 400', (header) => {
    expect(() => readIdempotencyKey(header, ANONYMOUS)).toThrow(
      expect.objectContaining({
        code: 'validation_failed',
        details: { issues: [expect.objectContaining({ path: 'Idempotency-Key' })] },
      }),
    );
  });

  it('is null if the request has no such header', () => {
    expect(readIdempotencyKey(undefined, ANONYMOUS)).toBeNull();
  });
});
