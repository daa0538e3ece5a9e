import { sql } from 'kysely';
import type { Core } from '../../core.ts';
import { lockAccount } from '../accounts/account-lock.ts';
import { type Check, finding } from './checks.ts';

interface Miscount {
  account: string;
  counted: number;
  actual: number;
}

const live = sql`(select count(*)::int from deployment d where d.account_id = a.id and d.status = 'success')`;

/** Counts the deployments of every account again. Source: security I4, T26. */
export const counters: Check = {
  name: 'counters',
  title: 'Counters of accounts',
  async *run(core, { fix }) {
    const { rows } = await sql<Miscount>`
      select * from (select a.id as account, deployment_count as counted, ${live} as actual from account a) c
      where counted <> actual order by account`.execute(core.database.kysely);
    for (const { account, counted, actual } of rows) {
      if (fix) await recount(core, account);
      yield finding('drift', `Account ${account} counts ${counted} deployments and has ${actual}.`, {
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
    await sql`update account a set deployment_count = ${live} where id = ${account}`.execute(em.getKysely());
  });
}
