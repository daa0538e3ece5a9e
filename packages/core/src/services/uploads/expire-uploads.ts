import { sql } from 'kysely';
import type { Core } from '../../core.ts';
import { failpoint } from '../../failpoints.ts';
import { lockAccount } from '../accounts/account-lock.ts';
import { releaseStorage } from '../accounts/storage.ts';

/** Forgets uploads whose time is over, and with them their claims on packs. @returns How many. Source: contract §9; security P10. */
export async function expireUploads(core: Core, batch: number): Promise<number> {
  const now = core.now();
  const { rows } = await sql<{ account: string | null }>`
    select distinct account_id as account from (
      select account_id from upload where expires <= ${now} order by expires limit ${batch}) due`.execute(
    core.database.kysely,
  );
  let removed = 0;
  for (const { account } of rows) removed += await expireThoseOf(core, account, now, batch);
  failpoint('sweep.uploads-removed');
  return removed;
}

async function expireThoseOf(core: Core, account: string | null, now: Date, batch: number): Promise<number> {
  return core.database.transaction(async (em) => {
    if (account !== null) await lockAccount(em, account);
    const { rows } = await sql<{ open: boolean }>`
      delete from upload where hash in (
        select hash from upload where expires <= ${now} and account_id is not distinct from ${account}
        order by expires limit ${batch} for update skip locked)
      returning committed is null as open`.execute(em.getKysely());
    if (account !== null && rows.some(({ open }) => open)) await releaseStorage(em, account);
    return rows.length;
  });
}
