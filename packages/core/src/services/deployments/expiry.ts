import { sql } from 'kysely';
import type { Core } from '../../core.ts';
import { recordActivity } from '../activities/activities.ts';
import { lockAccount } from '../accounts/account-lock.ts';
import { uncountDeployment } from './deployments.ts';

/**
 * Ends deployments whose time has come. They stopped being served at that very moment; this makes it a fact of the
 * database: status, counter and audit log in one transaction each.
 *
 * @returns How many this call ended.
 */
export async function expireDeployments(core: Core, batch: number): Promise<number> {
  const now = core.now();
  const due = await sql<{ id: string; account: string | null }>`
    select id, account_id as account from deployment
    where status = 'success' and expires <= ${now} order by expires limit ${batch}`.execute(core.database.kysely);
  let ended = 0;
  for (const { id, account } of due.rows) if (await expire(core, id, account, now)) ended += 1;
  return ended;
}

/** Guarded by the state it expects: a claim or a delete that came first wins. */
async function expire(core: Core, id: string, account: string | null, now: Date): Promise<boolean> {
  return core.database.transaction(async (em) => {
    if (account !== null) await lockAccount(em, account);
    const { numAffectedRows } = await sql`
      update deployment set status = 'deleting'
      where id = ${id} and status = 'success' and expires <= ${now} and account_id is not distinct from ${account}`.execute(
      em.getKysely(),
    );
    if (numAffectedRows !== 1n) return false;
    if (account !== null) {
      await uncountDeployment(em, account);
      recordActivity(em, { account, event: 'deployment.expire', authMethod: 'system', created: now, deployment: id });
    }
    return true;
  });
}
