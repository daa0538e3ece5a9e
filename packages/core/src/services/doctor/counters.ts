import type { ExpressionBuilder } from 'kysely';
import type { Core } from '../../core.ts';
import { db, type Tables } from '../../database/tables.ts';
import { Account } from '../../entities/index.ts';
import { lockAccount } from '../accounts/account-lock.ts';
import { measureStorage, markStorageInexact } from '../accounts/storage.ts';
import { type Check, finding } from './checks.ts';

interface Miscount {
  account: string;
  counted: number;
  actual: number;
}

const countLive = (eb: ExpressionBuilder<Tables, 'account'>) =>
  eb
    .selectFrom('deployment')
    .select(eb.fn.countAll<number>().as('count'))
    .whereRef('deployment.account_id', '=', 'account.id')
    .where('deployment.status', '=', 'success')
    .$asScalar()
    .$notNull();

/** Counts the deployments of every account again, and measures its storage. Source: storage I4; security T26. */
export const counters: Check = {
  name: 'counters',
  title: 'Counters of accounts',
  async *run(core, { fix }) {
    const miscounts: Miscount[] = await db(core)
      .selectFrom(({ selectFrom }) =>
        selectFrom('account')
          .select((eb) => ['account.id as account', 'deployment_count as counted', countLive(eb).as('actual')])
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
    for await (const { account, counted, actual } of misjudgedStorage(core)) {
      if (fix) await measureAgain(core, account);
      yield finding('drift', `Account ${account} counts ${counted} stored bytes and has ${actual}.`, {
        account,
        fixed: fix,
      });
    }
  },
};

/** Under the lock of the account, so that no deploy or delete comes between. */
async function recount(core: Core, account: string): Promise<void> {
  await core.database.transaction(async (em) => {
    await lockAccount(em, account);
    await db(em)
      .updateTable('account')
      .set((eb) => ({ deployment_count: countLive(eb) }))
      .where('id', '=', account)
      .execute();
  });
}

/** Accounts whose counter is too low, or is said to be exact and is not. Each is measured under its lock. */
async function* misjudgedStorage(core: Core): AsyncGenerator<Miscount> {
  const accounts = await db(core).selectFrom('account').select('id').orderBy('id').execute();
  for (const { id } of accounts) {
    const miscount = await core.database.transaction(async (em) => {
      const account = await lockAccount(em, id);
      if (!account) return null;
      const { used } = await measureStorage(em, { account: id });
      const { storageBytes, storageExact } = account;
      const fits = storageExact ? storageBytes === used : storageBytes >= used;
      return fits ? null : { account: id, counted: storageBytes, actual: used };
    });
    if (miscount) yield miscount;
  }
}

async function measureAgain(core: Core, account: string): Promise<void> {
  await core.database.transaction(async (em) => {
    await lockAccount(em, account);
    const { used } = await measureStorage(em, { account });
    await markStorageInexact(em, account);
    await em.nativeUpdate(Account, { id: account }, { storageBytes: used, storageExact: true });
  });
}
