import { DEFAULT_PLANS } from '@berth/contract';
import { useTestCore } from '@berth/testing/core';
import { beforeEach, describe, expect, it } from 'vitest';
import type { AccountCaller } from '../../../src/core.ts';
import { openDatabase } from '../../../src/database/database.ts';
import { ensureOwner, insertApiKey, getAccount } from '../../../src/services/accounts/accounts.ts';
import { authenticate } from '../../../src/services/authentication.ts';

const OWNER = { email: 'owner@localhost', plan: DEFAULT_PLANS.at(-1)! };
const CHOSEN_KEY = 'ship-0123456789abcdef0123456789abcdef';
const OTHER_KEY = 'ship-fedcba9876543210fedcba9876543210';

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

describe('api §8: the first start of a server', () => {
  it('creates the owner’s account and returns its API key; the next start returns no key', async () => {
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

  it('creates one account if six processes start at once, and only one process returns the key', async () => {
    const databases = Array.from({ length: 6 }, () => openDatabase(test.database.address));
    const keys = await Promise.all(databases.map((database) => ensureOwner({ ...test.core, database }, OWNER)));
    expect(keys.filter((key) => key !== null)).toHaveLength(1);
    expect(await accounts()).toHaveLength(1);
    expect(await test.database.query('select 1 from token')).toHaveLength(1);
    await Promise.all(databases.map((database) => database.close()));
  });

  it('creates the owner’s account even if the operator has created other accounts', async () => {
    await test.account();
    expect(await ensureOwner(test.core, OWNER)).toMatch(/^ship-/);
    expect(await accounts()).toHaveLength(2);
  });

  it('creates no second owner after the configured e-mail address has changed', async () => {
    await ensureOwner(test.core, OWNER);
    expect(await ensureOwner(test.core, { ...OWNER, email: 'other@test' })).toBeNull();
    expect(await accounts()).toHaveLength(1);
  });
});

describe('api §10: the key in OWNER_API_KEY', () => {
  it('is the owner’s API key after the first start, which does not return the key', async () => {
    expect(await ensureOwner(test.core, { ...OWNER, apiKey: CHOSEN_KEY })).toBeNull();
    await expectKeyOfOwner(CHOSEN_KEY);
    expect(await ensureOwner(test.core, { ...OWNER, apiKey: CHOSEN_KEY })).toBeNull();
    expect(await test.database.query('select last4 from token')).toEqual([{ last4: 'cdef' }]);
  });

  it('is added to an existing owner, whose earlier keys stay valid', async () => {
    const firstOwner = await ensureOwner(test.core, OWNER);
    await ensureOwner(test.core, { ...OWNER, apiKey: CHOSEN_KEY });
    await ensureOwner(test.core, { ...OWNER, apiKey: OTHER_KEY });
    for (const key of [firstOwner!, CHOSEN_KEY, OTHER_KEY]) await expectKeyOfOwner(key);
    expect(await accounts()).toHaveLength(1);
  });

  it('is added only once if six processes start at once', async () => {
    await Promise.all(Array.from({ length: 6 }, () => ensureOwner(test.core, { ...OWNER, apiKey: CHOSEN_KEY })));
    expect(await test.database.query('select 1 from token')).toHaveLength(1);
    expect(await accounts()).toHaveLength(1);
  });

  it('belongs to a new owner’s account even if other accounts exist', async () => {
    await test.account();
    await ensureOwner(test.core, { ...OWNER, apiKey: CHOSEN_KEY });
    await expectKeyOfOwner(CHOSEN_KEY);
    expect(await accounts()).toHaveLength(2);
  });
});

describe('api §6: GET /account', () => {
  it('returns the last characters of the newest API key as the hint, and null if the account has only deploy tokens', async () => {
    const { caller } = await test.account();
    test.advance(1);
    const newerKey = await test.core.database.transaction(async (em) => insertApiKey(em, test.core, caller.account));
    expect(await getAccount({ core: test.core, caller })).toMatchObject({ hint: newerKey.slice(-4) });
    await test.database.query(`update token set kind = 'deploy'`);
    expect(await getAccount({ core: test.core, caller: { ...caller, authMethod: 'deploy-token' } })).toMatchObject({
      hint: null,
      authMethod: 'deploy-token',
    });
  });

  it('returns no caps for a custom plan, and the caps of Free for a plan that no longer exists', async () => {
    const { caller } = await test.account('scale');
    expect(await getAccount({ core: test.core, caller })).toMatchObject({ plan: 'scale', caps: null });
    await test.database.query(`update account set plan = 'gone'`);
    expect(await getAccount({ core: test.core, caller })).toMatchObject({ plan: 'gone', caps: { deployments: 100 } });
  });
});
