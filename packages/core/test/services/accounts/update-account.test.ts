import { useTestCore } from '@berth/testing/core';
import { expect, it } from 'vitest';
import { getAccount } from '../../../src/services/accounts/accounts.ts';
import { updateAccount } from '../../../src/services/accounts/update-account.ts';
import { listActivities } from '../../../src/services/activities/activities.ts';

const { core, account } = await useTestCore();

it('api §13: a new name of the account is stored and recorded once, and null removes it', async () => {
  const { caller } = await account();
  const scope = { core, caller };
  expect((await updateAccount(scope, { name: 'Shop' })).name).toBe('Shop');
  await updateAccount(scope, { name: 'Shop' });
  expect((await getAccount(scope)).name).toBe('Shop');
  expect((await updateAccount(scope, { name: null })).name).toBeNull();
  const { activities } = await listActivities(scope, { limit: 100 });
  const common = { event: 'account.update', authMethod: 'api-key' };
  expect(activities.filter(({ event }) => event === 'account.update')).toMatchObject([
    { ...common, meta: { name: { from: 'Shop', to: null } } },
    { ...common, meta: { name: { from: null, to: 'Shop' } } },
  ]);
});
