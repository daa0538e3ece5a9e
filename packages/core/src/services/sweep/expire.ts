import { sql } from 'kysely';
import type { Core } from '../../core.ts';
import { db } from '../../database/tables.ts';
import { Deployment } from '../../entities/index.ts';
import { failpoint } from '../../failpoints.ts';
import { lockAccount } from '../accounts/account-lock.ts';
import { markStorageInexact } from '../accounts/storage.ts';
import { recordActivity } from '../activities/activities.ts';
import { decrementDeploymentCount } from '../deployments/deployments.ts';
import { type RunLimits, runWorklist } from '../worklist.ts';

/**
 * Ends expired deployments. Visitors already cannot see them; this updates the database: status, counter and audit log,
 * in one transaction each. A failed one is logged and retried by the next run.
 *
 * @returns How many this call ended.
 */
export async function expireDeployments(core: Core, limits: RunLimits): Promise<number> {
  const now = core.now();
  return runWorklist<{ id: string; account: string | null; group: string }>(
    core,
    {
      task: 'expire deployments',
      due: (skip, limit) =>
        db(core)
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

/** Updates only a deployment that is still in the expected state: an earlier claim or delete wins. */
async function expire(core: Core, id: string, account: string | null, now: Date): Promise<boolean> {
  return core.database.transaction(async (em) => {
    if (account !== null) await lockAccount(em, account);
    const expired = { id, account, status: 'success', expires: { $lte: now } } as const;
    if ((await em.nativeUpdate(Deployment, expired, { status: 'deleting' })) !== 1) return false;
    if (account !== null) {
      await decrementDeploymentCount(em, account);
      recordActivity(em, { account, event: 'deployment.expire', authMethod: 'system', created: now, deployment: id });
    }
    return true;
  });
}

/**
 * Deletes expired uploads and their references to packs; those of one owner in one transaction. If the uploads of an
 * owner cannot be deleted, that is logged and retried by the next run.
 *
 * @returns How many owners had expired uploads. Source: api §9; storage P10.
 */
export async function expireUploads(core: Core, limits: RunLimits): Promise<number> {
  const now = core.now();
  const owners = await runWorklist<{ account: string | null }>(
    core,
    {
      task: 'expire uploads',
      due: (skip, limit) =>
        db(core)
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
      work: ({ account }) => expireUploadsOf(core, account, now, limits.limit),
    },
    limits,
  );
  failpoint('sweep.uploads-removed');
  return owners;
}

async function expireUploadsOf(core: Core, account: string | null, now: Date, batch: number): Promise<boolean> {
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
