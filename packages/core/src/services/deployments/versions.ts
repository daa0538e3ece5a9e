import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { Caller, Scope } from '../../core.ts';
import { db, type StatementScope } from '../../database/tables.ts';
import type { LockedAccount } from '../accounts/account-lock.ts';
import { refuseAtDeploymentCap } from '../accounts/accounts.ts';
import { recordActivity } from '../activities/activities.ts';
import type { DomainTarget } from './deploy-options.ts';
import { decrementDeploymentCount } from './deployments.ts';

/**
 * Finds the versions of a domain that a deploy with `keep` deletes: those beyond the number to keep, the new deployment
 * included, that no other domain shows. A deployment is as old as its last link to the domain.
 *
 * @param statements Default: the database, without a transaction. Only a locked account keeps the result valid.
 * @returns The ids, the newest first; none without `keep`. Source: api §3.
 */
export async function findOldVersions(
  { core, caller }: Scope<Caller>,
  target: DomainTarget | undefined,
  statements: StatementScope = core,
): Promise<string[]> {
  if (!target || target.keep === null || caller.kind === 'anonymous') return [];
  const { account } = caller;
  const { rows } = await sql<{ id: string }>`
    select id from (
      select d.id, max(v.id) as last_link from domain_version v join deployment d on d.id = v.deployment
      where v.account_id = ${account} and v.domain = ${target.domain} and d.account_id = ${account}
        and d.status = 'success' and (d.expires is null or d.expires > ${core.now()})
      group by d.id order by last_link desc offset ${target.keep - 1}) old
    where not exists (select 1 from domain o where o.deployment_id = old.id and o.name <> ${target.domain})
    order by last_link desc`.execute(db(statements));
  return rows.map(({ id }) => id);
}

/**
 * Deletes the versions that {@link findOldVersions} finds, as `DELETE /deployments/{deployment}` does, in the transaction that
 * points the domain at its new deployment. The account must be locked.
 *
 * @returns The ids of the deleted deployments, and the locked account after the deletions.
 */
export async function deleteOldVersions(
  em: EntityManager,
  scope: Scope,
  locked: LockedAccount,
  target: DomainTarget,
): Promise<{ deleted: string[]; account: LockedAccount }> {
  const deleted = await findOldVersions(scope, target, em);
  if (deleted.length === 0) return { deleted, account: locked };
  await db(em)
    .updateTable('deployment')
    .set({ status: 'deleting' })
    .where(({ eb, fn, val }) => eb('id', '=', fn.any(val(deleted))))
    .execute();
  await decrementDeploymentCount(em, locked.id, deleted.length);
  const { account, authMethod } = scope.caller;
  const activity = { account, authMethod, created: scope.core.now(), domain: target.domain };
  for (const deployment of deleted)
    recordActivity(em, { ...activity, event: 'deployment.delete', deployment, meta: { keep: target.keep } });
  return {
    deleted,
    account: { ...locked, deployments: locked.deployments - deleted.length, storageExact: false },
  };
}

/**
 * Whether a deploy whose options are still unknown may delete old versions, and so make room below a cap of the plan. Its
 * transaction then judges the caps.
 */
export async function mayDeleteVersions({ core, caller }: Scope<Caller>): Promise<boolean> {
  if (caller.kind === 'anonymous') return false;
  const names = caller.credential !== 'deploy' ? undefined : (caller.domainAccess?.domains ?? []);
  const found = await db(core)
    .selectFrom('domain_version')
    .select('id')
    .where('account_id', '=', caller.account)
    .where('unlinked', 'is not', null)
    .where(({ eb, fn, lit, val }) => (names ? eb('domain', '=', fn.any(val(names))) : lit(true)))
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}

/**
 * Refuses a deploy whose options are still unknown, if the account has as many deployments as its plan allows and the deploy
 * cannot delete old versions.
 *
 * @throws `forbidden`, with `details`. Source: api §6.
 */
export async function refuseFullAccount(scope: Scope<Caller>): Promise<void> {
  try {
    await refuseAtDeploymentCap(scope);
  } catch (error) {
    if (!(await mayDeleteVersions(scope))) throw error;
  }
}
