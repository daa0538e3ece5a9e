import type { EntityManager } from '@mikro-orm/postgresql';
import type { Caller, Scope } from '../../core.ts';
import { db } from '../../database/tables.ts';
import type { Deployment } from '../../entities/index.ts';
import type { LockedAccount } from '../accounts/account-lock.ts';
import { requireUsableName } from '../domain-names.ts';
import { refuseUnavailableDomain, setDomain } from '../domains/put-domain.ts';
import type { DomainTarget } from './deploy-options.ts';

/**
 * Returns the password hash of the deployment that a domain shows, for a deployment that gets the password of its domain. The
 * account must be locked, so that neither the domain nor the password can change. Source: api §3.
 *
 * @returns `null` if the deployment does not get the password, or if the domain shows nothing or a public site.
 */
export async function findInheritedPassword(
  em: EntityManager,
  account: string,
  target: DomainTarget | undefined,
): Promise<string | null> {
  if (!target?.inheritsPassword) return null;
  const shown = await db(em)
    .selectFrom('domain')
    .innerJoin('deployment', 'deployment.id', 'domain.deployment_id')
    .select('deployment.password_hash as passwordHash')
    .where('domain.account_id', '=', account)
    .where('domain.name', '=', target.domain)
    .executeTakeFirst();
  return shown?.passwordHash ?? null;
}

/**
 * Refuses a domain that {@link pointDomain} would refuse now, so that a client need not send its files.
 *
 * @throws what {@link pointDomain} throws.
 */
export async function refuseUnavailableTarget({ core, caller }: Scope<Caller>, domain: string): Promise<void> {
  if (caller.kind === 'anonymous') return;
  await refuseUnavailableDomain({ core, caller }, requireUsableName(core.addresses, domain));
}

/**
 * Points the domain of a deploy at its new deployment, and writes all pending rows. The account must be locked.
 *
 * @throws what `PUT /domains/{domain}` throws. Source: api §3, §4.
 */
export async function pointDomain(
  em: EntityManager,
  scope: Scope,
  target: DomainTarget,
  { account: { plan }, deployment }: { account: LockedAccount; deployment: Deployment },
): Promise<void> {
  const name = requireUsableName(scope.core.addresses, target.domain);
  await setDomain(em, scope, { ...name, plan }, { deployment });
}
