import { sql } from 'kysely';
import type { Core } from '../../core.ts';
import { db } from '../../database/tables.ts';
import { recordActivity } from '../activities/activities.ts';
import { lockAccount } from '../accounts/account-lock.ts';
import { type RunLimits, runWorklist } from '../worklist.ts';
import { decrementDeploymentCount } from '../deployments/deployments.ts';

interface Due {
  id: string;
  account: string | null;
  group: string;
}

/**
 * Ends expired deployments. Visitors already cannot see them; this updates the database: status, counter and audit log,
 * in one transaction each. A failed one is logged and retried by the next run.
 *
 * @returns How many this call ended.
 */
export async function expireDeployments(core: Core, limits: RunLimits): Promise<number> {
  const now = core.now();
  return runWorklist<Due>(
    core,
    {
      task: 'expire deployments',
      async due(skip, limit) {
        const { rows } = await sql<Due>`
          select id, account_id as account, coalesce(account_id::text, id) as "group" from deployment
          where status = 'success' and expires <= ${now} and coalesce(account_id::text, id) <> all(${skip}::text[])
          order by expires limit ${limit}`.execute(db(core));
        return rows;
      },
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
    const { numAffectedRows } = await sql`
      update deployment set status = 'deleting'
      where id = ${id} and status = 'success' and expires <= ${now} and account_id is not distinct from ${account}`.execute(
      db(em),
    );
    if (numAffectedRows !== 1n) return false;
    if (account !== null) {
      await decrementDeploymentCount(em, account);
      recordActivity(em, { account, event: 'deployment.expire', authMethod: 'system', created: now, deployment: id });
    }
    return true;
  });
}
