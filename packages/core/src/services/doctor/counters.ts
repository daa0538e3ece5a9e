import type { ExpressionBuilder } from 'kysely';
import type { Core } from '../../core.ts';
import { db, type Tables } from '../../database/tables.ts';
import { Account } from '../../entities/index.ts';
import { lockAccount } from '../accounts/account-lock.ts';
import { measureStorage, markStorageInexact } from '../accounts/storage.ts';
import { type Check, finding } from './checks.ts';

const countDeployments = (eb: ExpressionBuilder<Tables, 'account'>) =>
  eb
    .selectFrom('deployment')
    .select(eb.fn.countAll<number>().as('count'))
    .whereRef('deployment.account_id', '=', 'account.id')
    .where('deployment.status', '=', 'success')
    .$asScalar()
    .$notNull();

/** Compares the counters of every account with its deployments and its storage. Source: storage I4; security T26. */
export const counters: Check = {
  name: 'counters',
  title: 'Counters of accounts',
  async *run(core, { fix }) {
    const miscounts = await db(core)
      .selectFrom(({ selectFrom }) =>
        selectFrom('account')
          .select((eb) => ['account.id as account', 'deployment_count as counted', countDeployments(eb).as('actual')])
          .as('counts'),
      )
      .selectAll()
      .whereRef('counted', '<>', 'actual')
      .orderBy('account')
      .execute();
    for (const { account, counted, actual } of miscounts) {
      if (fix) await recount(core, account);
      yield finding('drift', `Account ${account} counts ${counted} deployments and has ${actual}.`, {
        account,
        fixed: fix,
      });
    }
    for (const { id } of await db(core).selectFrom('account').select('id').orderBy('id').execute()) {
      const miscount = await checkStorage(core, id, fix);
      if (miscount)
        yield finding('drift', `Account ${id} counts ${miscount.counted} stored bytes and has ${miscount.actual}.`, {
          account: id,
          fixed: fix,
        });
    }
  },
};

/** Counts the deployments while the account is locked, so that no deploy or delete changes the number. */
async function recount(core: Core, account: string): Promise<void> {
  await core.database.transaction(async (em) => {
    await lockAccount(em, account);
    await db(em)
      .updateTable('account')
      .set((eb) => ({ deployment_count: countDeployments(eb) }))
      .where('id', '=', account)
      .execute();
  });
}

/** Measures the storage of a locked account. A counter that is not marked as exact may be higher than the storage. */
async function checkStorage(core: Core, account: string, fix: boolean) {
  return core.database.transaction(async (em) => {
    const row = await lockAccount(em, account);
    if (!row) return null;
    const { used } = await measureStorage(em, { account });
    const { storageBytes, storageExact } = row;
    if (storageExact ? storageBytes === used : storageBytes >= used) return null;
    if (fix) {
      await markStorageInexact(em, account);
      await em.nativeUpdate(Account, { id: account }, { storageBytes: used, storageExact: true });
    }
    return { counted: storageBytes, actual: used };
  });
}
