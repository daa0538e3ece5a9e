import { DEFAULT_PLANS } from '@berth/contract';
import { useTestCore } from '@berth/testing/core';
import { beforeEach, describe, expect, it } from 'vitest';
import type { AccountCaller } from '../../../src/core.ts';
import { openDatabase } from '../../../src/database/database.ts';
import { ensureOwner, insertApiKey, getAccount } from '../../../src/services/accounts/accounts.ts';
import { authenticate } from '../../../src/services/authentication.ts';

const OWNER = { email: 'owner@localhost', plan: DEFAULT_PLANS.at(-1)! };
const CHOSEN = 'ship-0123456789abcdef0123456789abcdef';
const OTHER = 'ship-fedcba9876543210fedcba9876543210';

const test = await useTestCore();
beforeEach(() => test.database.query('truncate account cascade'));

const accounts = () =>
  test.database.query<{ email: string; plan: string }>('select email, plan from account order by email');
const expectKeyOfOwner = async (key: string) => {
  const { account } = (await authenticate(test.core, `Bearer ${key}`, '')) as AccountCaller;
  expect(await test.database.query('select email from account where id = $1', [account])).toEqual([
    { email: OWNER.email },
  ]);
};

describe('api §8: the first start', () => {
  it('creates the owner’s account and returns its key once', async () => {
    const key = await ensureOwner(test.core, OWNER);
    await expectKeyOfOwner(key!);
    expect(await accounts()).toEqual([{ email: 'owner@localhost', plan: 'scale' }]);
    expect(await test.database.query('select role, email from member')).toEqual([
      { role: 'owner', email: 'owner@localhost' },
    ]);
    expect(await test.database.query('select event from activity order by id')).toEqual([
      { event: 'account.create' },
      { event: 'account.key.generate' },
    ]);
    expect(await ensureOwner(test.core, OWNER)).toBeNull();
    expect(await test.database.query('select 1 from token')).toHaveLength(1);
  });

  it('creates one account if many processes start at once, and one of them returns the key', async () => {
    const databases = Array.from({ length: 6 }, () => openDatabase(test.database.address));
    const keys = await Promise.all(databases.map((database) => ensureOwner({ ...test.core, database }, OWNER)));
    expect(keys.filter((key) => key !== null)).toHaveLength(1);
    expect(await accounts()).toHaveLength(1);
    expect(await test.database.query('select 1 from token')).toHaveLength(1);
    await Promise.all(databases.map((database) => database.close()));
  });

  it('creates the owner even if the operator created accounts before', async () => {
    await test.account();
    expect(await ensureOwner(test.core, OWNER)).toMatch(/^ship-/);
    expect(await accounts()).toHaveLength(2);
  });

  it('does not create a second owner when the e-mail address has changed', async () => {
    await ensureOwner(test.core, OWNER);
    expect(await ensureOwner(test.core, { ...OWNER, email: 'other@test' })).toBeNull();
    expect(await accounts()).toHaveLength(1);
  });
});

describe('api §10: OWNER_API_KEY', () => {
  it('is the owner’s key from the first start on, and is never returned', async () => {
    expect(await ensureOwner(test.core, { ...OWNER, apiKey: CHOSEN })).toBeNull();
    await expectKeyOfOwner(CHOSEN);
    expect(await ensureOwner(test.core, { ...OWNER, apiKey: CHOSEN })).toBeNull();
    expect(await test.database.query('select last4 from token')).toEqual([{ last4: 'cdef' }]);
  });

  it('is added to the keys of an existing owner', async () => {
    const first = await ensureOwner(test.core, OWNER);
    await ensureOwner(test.core, { ...OWNER, apiKey: CHOSEN });
    await ensureOwner(test.core, { ...OWNER, apiKey: OTHER });
    for (const key of [first!, CHOSEN, OTHER]) await expectKeyOfOwner(key);
    expect(await accounts()).toHaveLength(1);
  });

  it('is added once by many processes at once', async () => {
    await Promise.all(Array.from({ length: 6 }, () => ensureOwner(test.core, { ...OWNER, apiKey: CHOSEN })));
    expect(await test.database.query('select 1 from token')).toHaveLength(1);
    expect(await accounts()).toHaveLength(1);
  });

  it('is added to the owner’s account, even if there are others; a missing owner is created', async () => {
    await test.account();
    await ensureOwner(test.core, { ...OWNER, apiKey: CHOSEN });
    await expectKeyOfOwner(CHOSEN);
    expect(await accounts()).toHaveLength(2);
  });
});

describe('api §6: GET /account', () => {
  it('returns the hint of the newest API key, ignoring deploy tokens, and null without a key', async () => {
    const { caller } = await test.account();
    test.advance(1);
    const newer = await test.core.database.transaction(async (em) => insertApiKey(em, test.core, caller.account));
    expect(await getAccount({ core: test.core, caller })).toMatchObject({ hint: newer.slice(-4) });
    await test.database.query(`update token set kind = 'deploy'`);
    expect(await getAccount({ core: test.core, caller: { ...caller, authMethod: 'deploy-token' } })).toMatchObject({
      hint: null,
      authMethod: 'deploy-token',
    });
  });

  it('has no caps on a custom plan, and the caps of Free on a plan that no longer exists', async () => {
    const { caller } = await test.account('scale');
    expect(await getAccount({ core: test.core, caller })).toMatchObject({ plan: 'scale', caps: null });
    await test.database.query(`update account set plan = 'gone'`);
    expect(await getAccount({ core: test.core, caller })).toMatchObject({ plan: 'gone', caps: { deployments: 100 } });
  });
});
