import {
  type Deployment as WireDeployment,
  type DeploymentList,
  type PageQuery,
  parseDeploymentReference,
} from '@berth/contract';
import { type EntityManager, LockMode } from '@mikro-orm/postgresql';
import type { z } from 'zod';
import type { Addresses, Scope } from '../../core.ts';
import { db } from '../../database/tables.ts';
import { Deployment, Domain } from '../../entities/index.ts';
import { notFound, ServiceError } from '../../errors.ts';
import { lockAccount } from '../accounts/account-lock.ts';
import { markStorageInexact } from '../accounts/storage.ts';
import { recordActivity } from '../activities/activities.ts';
import { type CursorScope, decodeCursor, olderThan, toPage } from '../cursors.ts';
import { toUnixSeconds } from '../timestamps.ts';

const MAX_NAMED_DOMAINS = 10;

/** The wire form of a deployment. Source: api §3. */
export function toDeployment(addresses: Addresses, row: Deployment): WireDeployment {
  return {
    deployment: row.id,
    url: addresses.site(row.id),
    files: row.files,
    size: row.size,
    status: row.status,
    password: row.passwordHash !== null && row.passwordHash !== undefined,
    via: row.via,
    labels: row.labels,
    created: toUnixSeconds(row.created),
    ...(row.expires ? { expires: toUnixSeconds(row.expires) } : {}),
  };
}

/** The condition under which an account can see a deployment. Expiry is judged by the clock, not by the sweep. */
const visible = ({ core, caller }: Scope) => ({
  account: caller.account,
  $or: [{ expires: null }, { expires: { $gt: core.now() } }],
});

/** `GET /deployments`, newest first. @throws `validation_failed` for a bad cursor. */
export async function listDeployments(scope: Scope, page: PageQuery): Promise<z.infer<typeof DeploymentList>> {
  const cursorScope: CursorScope = { core: scope.core, account: scope.caller.account, list: 'deployments' };
  const [created, id] = page.cursor === undefined ? [] : decodeCursor(cursorScope, page.cursor);
  const after = created === undefined ? [] : [olderThan(new Date(created), String(id))];
  const found = await scope.core.database
    .em()
    .find(
      Deployment,
      { $and: [visible(scope), ...after] },
      { orderBy: { created: 'desc', id: 'desc' }, limit: page.limit + 1, disableIdentityMap: true },
    );
  const { rows, nextCursor } = toPage(cursorScope, found, page.limit, (row) => [row.created.getTime(), row.id]);
  return {
    deployments: rows.map((row) => toDeployment(scope.core.addresses, row)),
    ...(nextCursor ? { nextCursor } : {}),
  };
}

/** `GET /deployments/{deployment}`. @throws `not_found`. */
export async function getDeployment(scope: Scope, reference: string): Promise<WireDeployment> {
  return toDeployment(scope.core.addresses, await getOwnDeployment(scope.core.database.em(), scope, reference));
}

/** `PATCH /deployments/{deployment}`. @throws `not_found`; `business_logic_error` while it is being deleted. */
export async function updateDeployment(
  scope: Scope,
  reference: string,
  { labels }: { labels: string[] },
): Promise<WireDeployment> {
  return scope.core.database.transaction(async (em) => {
    // The audit log refers to the account. Without this, the account would be locked after the deployment.
    await lockAccount(em, scope.caller.account);
    const row = await getOwnDeployment(em, scope, reference, { lock: true });
    if (row.status !== 'success')
      throw new ServiceError('business_logic_error', 'This deployment is being deleted and cannot be changed.', {
        details: { status: row.status },
      });
    row.labels = labels;
    recordActivity(em, {
      account: scope.caller.account,
      event: 'deployment.update',
      authMethod: scope.caller.authMethod,
      created: scope.core.now(),
      deployment: row.id,
      meta: { labels },
    });
    return toDeployment(scope.core.addresses, row);
  });
}

/**
 * `DELETE /deployments/{deployment}`: the site is gone at once, its bytes are removed later. Repeating it is not an
 * error.
 *
 * @throws `not_found`; `business_logic_error`, naming the domains, while domains point at it. Source: api §3.
 */
export async function deleteDeployment(
  scope: Scope,
  reference: string,
): Promise<{ deployment: string; status: 'deleting' }> {
  return scope.core.database.transaction(async (em) => {
    await lockAccount(em, scope.caller.account);
    const row = await getOwnDeployment(em, scope, reference, { lock: true });
    if (row.status === 'success') {
      await refuseWhileLinked(em, row.id);
      row.status = 'deleting';
      await decrementDeploymentCount(em, scope.caller.account);
      recordActivity(em, {
        account: scope.caller.account,
        event: 'deployment.delete',
        authMethod: scope.caller.authMethod,
        created: scope.core.now(),
        deployment: row.id,
      });
    }
    return { deployment: row.id, status: 'deleting' as const };
  });
}

async function refuseWhileLinked(em: EntityManager, deployment: string): Promise<void> {
  const linked = await em.find(Domain, { deployment }, { fields: ['name'], orderBy: { name: 'asc' } });
  if (linked.length === 0) return;
  const domains = linked.map(({ name }) => name);
  const shown = domains.slice(0, MAX_NAMED_DOMAINS).join(', ') + (domains.length > MAX_NAMED_DOMAINS ? ', …' : '');
  throw new ServiceError(
    'business_logic_error',
    `Domains still point at this deployment: ${shown}. Link them to another deployment or delete them first.`,
    { details: { domains } },
  );
}

/** Counts one deployment less, in the transaction that ends it. The storage counter becomes an upper bound. */
export async function decrementDeploymentCount(em: EntityManager, account: string): Promise<void> {
  await db(em)
    .updateTable('account')
    .set((eb) => ({ deployment_count: eb('deployment_count', '-', 1) }))
    .where('id', '=', account)
    .execute();
  await markStorageInexact(em, account);
}

/**
 * Returns the row of a deployment of the caller.
 *
 * @param lock Locks the row until the transaction ends. The account must be locked before. Source: storage L5.
 * @throws `not_found`.
 */
export async function getOwnDeployment(
  em: EntityManager,
  scope: Scope,
  reference: string,
  { lock = false } = {},
): Promise<Deployment> {
  const id = parseDeploymentReference(reference, scope.core.addresses.platformDomain);
  const row =
    id &&
    (await em.findOne(
      Deployment,
      { $and: [{ id }, visible(scope)] },
      lock ? { lockMode: LockMode.PESSIMISTIC_WRITE } : {},
    ));
  if (!row) throw notFound('deployment');
  return row;
}
