import { sql } from 'kysely';
import type { Core } from '../../core.ts';
import { db } from '../../database/tables.ts';
import { Deployment, IssuedId } from '../../entities/index.ts';
import { failpoint } from '../../failpoints.ts';
import { lockAccount } from '../accounts/account-lock.ts';
import { markStorageInexact } from '../accounts/storage.ts';
import { recordActivity } from '../activities/activities.ts';
import { decrementDeploymentCount } from '../deployments/deployments.ts';
import { type RunLimits, runWorklist } from '../worklist.ts';

/**
 * Marks expired deployments for deletion, and updates the counter and the audit log of the account. Visitors already
 * cannot see these deployments. If one fails, the error is logged and the next run retries it.
 *
 * @returns How many deployments this call marked.
 */
export async function expireDeployments(core: Core, limits: RunLimits): Promise<number> {
  const now = core.now();
  return runWorklist<{ id: string; account: string | null; group: string }>(
    core,
    {
      task: 'expire deployments',
      due: (skip, limit) =>
        db(core.database.em())
          .selectFrom('deployment')
          .select(({ fn }) => ['id', 'account_id as account', fn.coalesce('account_id', 'id').as('group')])
          .where('status', '=', 'success')
          .where('expires', '<=', now)
          .where(({ eb, fn, not, val }) => not(eb(fn.coalesce('account_id', 'id'), '=', fn.any(val(skip)))))
          .orderBy('expires')
          .limit(limit)
          .execute(),
      groupOf: ({ group }) => group,
      idsOf: ({ id, account }) => ({ deployment: id, account }),
      work: ({ id, account }) => expire(core, id, account, now),
    },
    limits,
  );
}

/** Does nothing if the deployment was claimed or deleted in the meantime. */
async function expire(core: Core, id: string, account: string | null, now: Date): Promise<boolean> {
  return core.database.transaction(async (em) => {
    if (account !== null) await lockAccount(em, account);
    const updated = await em.nativeUpdate(
      Deployment,
      { id, account, status: 'success', expires: { $lte: now } },
      { status: 'deleting' },
    );
    if (updated !== 1) return false;
    await em.nativeUpdate(IssuedId, { id }, { expired: now });
    if (account !== null) {
      await decrementDeploymentCount(em, account);
      recordActivity(em, { account, event: 'deployment.expire', authMethod: 'system', created: now, deployment: id });
    }
    return true;
  });
}

/**
 * Deletes expired uploads and their references to packs, in one transaction for each owner. If a transaction fails, the
 * error is logged and the next run retries it.
 *
 * @returns How many uploads this call deleted. Source: api §9; storage P10.
 */
export async function expireUploads(core: Core, limits: RunLimits): Promise<number> {
  const now = core.now();
  let deletedCount = 0;
  await runWorklist<{ account: string | null }>(
    core,
    {
      task: 'expire uploads',
      due: (skip, limit) =>
        db(core.database.em())
          .selectFrom('upload')
          .select('account_id as account')
          .where('expires', '<=', now)
          .where(({ eb, fn, not, val }) => not(eb(fn.coalesce('account_id', val('')), '=', fn.any(val(skip)))))
          .groupBy('account_id')
          .orderBy(({ fn }) => fn.min('expires'))
          .limit(limit)
          .execute(),
      groupOf: ({ account }) => account ?? '',
      idsOf: ({ account }) => ({ account }),
      async work({ account }) {
        const deleted = await expireUploadsOf(core, account, now, limits.limit);
        deletedCount += deleted;
        return deleted > 0;
      },
    },
    limits,
  );
  failpoint('sweep.uploads-removed');
  return deletedCount;
}

async function expireUploadsOf(core: Core, account: string | null, now: Date, batch: number): Promise<number> {
  return core.database.transaction(async (em) => {
    if (account !== null) await lockAccount(em, account);
    // An array is computed once. PostgreSQL may run a subquery of `in` several times, each time for other rows.
    const { rows } = await sql<{ open: boolean }>`
      delete from upload where hash = any(array(
        select hash from upload where expires <= ${now} and account_id is not distinct from ${account}
        order by expires limit ${batch} for update skip locked))
      returning committed is null as open`.execute(db(em));
    if (account !== null && rows.some(({ open }) => open)) await markStorageInexact(em, account);
    return rows.length;
  });
}
