import { ANONYMOUS, deploySite, refusal, untilLockIsAwaited, useTestCore, whileLocked } from '@berth/testing/core';
import { beforeEach, describe, expect, it } from 'vitest';
import type { AccountCaller } from '../../../src/core.ts';
import { lockAccount } from '../../../src/services/accounts/account-lock.ts';
import { registerAccount } from '../../../src/services/accounts/account-directory.ts';
import { deleteAccount } from '../../../src/services/accounts/delete-account.ts';
import { createInvite } from '../../../src/services/accounts/invites.ts';
import { addMember } from '../../../src/services/accounts/members.ts';
import { authenticate } from '../../../src/services/authentication.ts';
import { putDomain } from '../../../src/services/domains/put-domain.ts';
import { changePlan } from '../../../src/services/plan-changes/plan-changes.ts';
import { sweep } from '../../../src/services/sweep/sweep.ts';
import { beginUpload } from '../../../src/services/uploads/begin-upload.ts';

const test = await useTestCore();
const { core, database } = test;
let caller: AccountCaller;
let key: string;
beforeEach(async () => void ({ caller, key } = await test.account('team')));

const count = async (table: string, column = 'account_id', value = caller.account) =>
  Number((await database.query(`select count(*) from ${table} where ${column} = $1`, [value]))[0]!['count']);

describe('api §13: deleting an account', () => {
  it('removes every row of the account, and leaves the rows of others', async () => {
    const other = await test.account();
    const kept = await deploySite(core, other.caller, { 'index.html': 'kept' });
    const { body } = await deploySite(core, caller, { 'index.html': 'mine' });
    await putDomain({ core, caller }, `${caller.account.slice(4)}.sites.test`, { deployment: body.deployment });
    await addMember({ core, caller }, 'grace@example.com');
    await createInvite({ core, caller }, { role: 'member' });
    await changePlan(core, caller.account, 'free');
    await beginUpload({ core, caller }, { files: [{ path: 'a', size: 1, sha256: 'f'.repeat(64) }] });
    expect(await deleteAccount({ core, caller }, caller.account)).toEqual({ account: caller.account });
    for (const { table, column } of await accountColumns())
      expect([table, await count(table, column)]).toEqual([table, 0]);
    expect(await count('account', 'id')).toBe(0);
    expect(await count('deployment', 'id', kept.body.deployment)).toBe(1);
    await expect(authenticate(core, `Bearer ${key}`, '192.0.2.1')).rejects.toMatchObject({
      code: 'authentication_failed',
    });
  });

  it('lets the sweep remove the packs of the account', async () => {
    await deploySite(core, caller, { 'index.html': `only here ${caller.account}` });
    const before = await database.query(`select 1 from pack where state = 'sealed'`);
    await deleteAccount({ core, caller }, caller.account);
    const { packs } = await sweep(core, { graceMs: 0 });
    expect(packs).toBeGreaterThan(0);
    expect(before.length).toBeGreaterThan(0);
  });

  it('refuses the id of another account as if it did not exist, and changes nothing', async () => {
    const other = await test.account();
    for (const account of [other.caller.account, 'acc-00000000000000', ''])
      expect(await refusal(deleteAccount({ core, caller }, account))).toMatchObject({
        code: 'not_found',
        message: 'There is no such account.',
      });
    expect(await count('account', 'id')).toBe(1);
    expect(await count('account', 'id', other.caller.account)).toBe(1);
  });

  it('refuses the account of OWNER_EMAIL', async () => {
    const owner = await registerAccount(core, { email: core.ownerEmail, plan: 'scale' });
    const ownerCaller = { ...caller, account: owner };
    expect(await refusal(deleteAccount({ core, caller: ownerCaller }, owner))).toMatchObject({
      code: 'business_logic_error',
      details: { account: owner },
    });
    expect(await count('account', 'id', owner)).toBe(1);
  });

  it('waits for a transaction of the account; a deploy that began before is then refused', async () => {
    let deletion: Promise<unknown> | undefined;
    await whileLocked(
      core,
      (em) => lockAccount(em, caller.account),
      async () => {
        deletion = deleteAccount({ core, caller }, caller.account);
        await untilLockIsAwaited(test);
      },
    );
    await deletion;
    expect(await count('account', 'id')).toBe(0);
    expect(await refusal(deploySite(core, caller, { 'index.html': 'late' }))).toMatchObject({ status: 403 });
    expect((await deploySite(core, ANONYMOUS, { 'index.html': 'others' })).body.claim).toBeDefined();
  });
});

/** The columns of all tables that refer to an account. */
async function accountColumns(): Promise<{ table: string; column: string }[]> {
  const rows = await database.query<{ table: string; column: string }>(
    `select table_name as table, column_name as column from information_schema.columns
     where table_schema = 'public' and column_name = 'account_id' order by 1`,
  );
  expect(rows.length).toBeGreaterThan(6);
  return rows;
}
