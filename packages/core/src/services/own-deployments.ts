import { parseDeploymentReference } from '@berth/contract';
import { type EntityManager, LockMode } from '@mikro-orm/postgresql';
import type { Scope } from '../core.ts';
import { Deployment } from '../entities/index.ts';
import { notFound } from '../errors.ts';

/** The filter for the deployments that an account can see. Expired deployments are hidden before they are swept. */
const visibleTo = ({ core, caller }: Scope) => ({
  account: caller.account,
  $or: [{ expires: null }, { expires: { $gt: core.now() } }],
});

/**
 * Returns the row of a deployment that the caller's account can see.
 *
 * @param options.lock True to lock the row until the transaction ends. The account must be locked before.
 * @throws `not_found`. Source: storage L5.
 */
export async function getOwnDeployment(
  em: EntityManager,
  scope: Scope,
  reference: string,
  { lock = false } = {},
): Promise<Deployment> {
  const id = parseDeploymentReference(reference, scope.core.addresses.platformDomain);
  const options = lock ? { lockMode: LockMode.PESSIMISTIC_WRITE } : {};
  const row = id && (await em.findOne(Deployment, { id, ...visibleTo(scope) }, options));
  if (!row) throw notFound('deployment');
  return row;
}
