import type { DeletedSite } from '@berth/contract';
import { type EntityManager, LockMode } from '@mikro-orm/postgresql';
import type { Scope } from '../../core.ts';
import { Deployment, Domain, DomainVersion } from '../../entities/index.ts';
import { lockAccount } from '../accounts/account-lock.ts';
import { recordActivity } from '../activities/activities.ts';
import { removeDomain } from '../domains/domains.ts';
import { getSite } from '../sites/list-sites.ts';
import { decrementDeploymentCount, deleteDeployment } from './deployments.ts';

/**
 * `DELETE /sites/{site}`: deletes a site in one transaction. A domain is deleted with every deployment that it showed, except those
 * that another domain shows. Nothing is deleted if any part fails.
 *
 * @throws `not_found`; `business_logic_error` for a deployment that a domain shows. Source: api §3, §4.
 */
export async function deleteSite(scope: Scope, reference: string): Promise<DeletedSite> {
  const { core, caller } = scope;
  const { site, domain: name } = await getSite(scope, reference);
  if (name === null) {
    await deleteDeployment(scope, site);
    return { site, deployments: [site] };
  }
  return core.database.transaction(async (em) => {
    await lockAccount(em, caller.account);
    const domain = await removeDomain(em, scope, name);
    await em.flush();
    const rows = await lockVersions(em, caller.account, domain);
    for (const row of rows) {
      row.status = 'deleting';
      recordActivity(em, {
        account: caller.account,
        event: 'deployment.delete',
        authMethod: caller.authMethod,
        created: core.now(),
        deployment: row.id,
        meta: { domain: name },
      });
    }
    if (rows.length > 0) await decrementDeploymentCount(em, caller.account, rows.length);
    return { site, deployments: rows.map((row) => row.id) };
  });
}

/** Locks the deployments that a deleted domain showed and that no other domain shows. */
async function lockVersions(em: EntityManager, account: string, { name, deployment }: Domain): Promise<Deployment[]> {
  const versions = await em.find(DomainVersion, { account, domain: name }, { fields: ['deployment'] });
  const shown = new Set([...versions.map((version) => version.deployment), ...(deployment ? [deployment.id] : [])]);
  const linked = await em.find(Domain, { deployment: [...shown] }, { fields: ['deployment'] });
  for (const row of linked) shown.delete(row.deployment!.id);
  return em.find(
    Deployment,
    { id: [...shown], account, status: 'success' },
    { orderBy: { id: 'asc' }, lockMode: LockMode.PESSIMISTIC_WRITE },
  );
}
