import { sql } from 'kysely';
import type { Core } from '../../core.ts';
import { db } from '../../database/tables.ts';
import { failpoint } from '../../failpoints.ts';
import { lockAccount } from '../accounts/account-lock.ts';
import { markStorageInexact } from '../accounts/storage.ts';
import { type RunLimits, runWorklist } from '../worklist.ts';

/**
 * Deletes expired uploads and their references to packs; those of one owner in one transaction. If the uploads of an
 * owner cannot be deleted, that is logged and retried by the next run.
 *
 * @returns How many owners had expired uploads. Source: api §9; storage P10.
 */
export async function expireUploads(core: Core, limits: RunLimits): Promise<number> {
  const now = core.now();
  const owners = await runWorklist<{ account: string | null; group: string }>(
    core,
    {
      task: 'expire uploads',
      async due(skip, limit) {
        const { rows } = await sql<{ account: string | null; group: string }>`
          select account_id as account, coalesce(account_id, '') as "group" from upload
          where expires <= ${now} and coalesce(account_id, '') <> all(${skip}::text[])
          group by account_id order by min(expires) limit ${limit}`.execute(db(core));
        return rows;
      },
      groupOf: ({ group }) => group,
      idsOf: ({ account }) => ({ account }),
      work: ({ account }) => expireThoseOf(core, account, now, limits.limit),
    },
    limits,
  );
  failpoint('sweep.uploads-removed');
  return owners;
}

async function expireThoseOf(core: Core, account: string | null, now: Date, batch: number): Promise<boolean> {
  return core.database.transaction(async (em) => {
    if (account !== null) await lockAccount(em, account);
    const { rows } = await sql<{ open: boolean }>`
      delete from upload where hash in (
        select hash from upload where expires <= ${now} and account_id is not distinct from ${account}
        order by expires limit ${batch} for update skip locked)
      returning committed is null as open`.execute(db(em));
    if (account !== null && rows.some(({ open }) => open)) await markStorageInexact(em, account);
    return rows.length > 0;
  });
}
