import { sql } from 'kysely';
import type { Core } from '../../core.ts';
import { db } from '../../database/tables.ts';
import { lockAccount } from '../accounts/account-lock.ts';
import { measureStorage, markStorageInexact } from '../accounts/storage.ts';
import { type Check, finding } from './checks.ts';

interface Miscount {
  account: string;
  counted: number;
  actual: number;
}

const live = sql`(select count(*)::int from deployment d where d.account_id = a.id and d.status = 'success')`;

/** Counts the deployments of every account again, and measures its storage. Source: storage I4; security T26. */
export const counters: Check = {
  name: 'counters',
  title: 'Counters of accounts',
  async *run(core, { fix }) {
    const { rows } = await sql<Miscount>`
      select * from (select a.id as account, deployment_count as counted, ${live} as actual from account a) c
      where counted <> actual order by account`.execute(db(core));
    for (const { account, counted, actual } of rows) {
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
    await sql`update account a set deployment_count = ${live} where id = ${account}`.execute(db(em));
  });
}

/** Accounts whose counter is too low, or is said to be exact and is not. Each is measured under its lock. */
async function* misjudgedStorage(core: Core): AsyncGenerator<Miscount> {
  const { rows } = await sql<{ id: string }>`select id from account order by id`.execute(db(core));
  for (const { id } of rows) {
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
    await sql`update account set storage_bytes = ${used}, storage_exact = true where id = ${account}`.execute(db(em));
  });
}
