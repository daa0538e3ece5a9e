import {
  type Deployment as WireDeployment,
  type DeploymentList,
  type DeploymentPatch,
  type DeploymentQuery,
  MAX_LISTED_DOMAINS,
} from '@berth/contract';
import { domainToASCII } from 'node:url';
import type { EntityManager, FilterQuery } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { z } from 'zod';
import type { Addresses, Scope } from '../../core.ts';
import { db } from '../../database/tables.ts';
import { Deployment, Domain } from '../../entities/index.ts';
import { ServiceError } from '../../errors.ts';
import { lockAccount } from '../accounts/account-lock.ts';
import { markStorageInexact } from '../accounts/storage.ts';
import { recordActivity } from '../activities/activities.ts';
import { hashPassword } from '../passwords.ts';
import { getOwnDeployment, visibleTo } from '../own-deployments.ts';
import { runQueued } from '../run-queued.ts';
import { type CursorScope, decodeCursor, olderThan, toPage } from '../cursors.ts';
import { toUnixSeconds } from '../timestamps.ts';

const MAX_NAMED_DOMAINS = 10;

/**
 * Converts a row to the deployment that clients receive.
 *
 * @param domains The domains that point at the deployment, as {@link readDomainNames} returns them. Source: api §3.
 */
export function toDeployment(addresses: Addresses, row: Deployment, domains: string[]): WireDeployment {
  return {
    deployment: row.id,
    url: addresses.site(row.id),
    files: row.files,
    size: row.size,
    status: row.status,
    password: Boolean(row.passwordHash),
    via: row.via,
    ...(row.authMethod ? { by: row.authMethod } : {}),
    ...(row.token ? { token: row.token } : {}),
    labels: row.labels,
    domains,
    created: toUnixSeconds(row.created),
    ...(row.takenDown
      ? { takenDown: { reason: row.takeDownReason ?? null, since: toUnixSeconds(row.takenDown) } }
      : {}),
    ...(row.expires ? { expires: toUnixSeconds(row.expires) } : {}),
  };
}

/**
 * `GET /deployments`: lists deployments, newest first. With `label` or `domain`, lists only the deployments that match both.
 *
 * @throws `validation_failed` for an invalid cursor. Source: api §3.
 */
export async function listDeployments(
  scope: Scope,
  { label, domain, ...page }: DeploymentQuery,
): Promise<z.infer<typeof DeploymentList>> {
  const cursorScope: CursorScope = { core: scope.core, account: scope.caller.account, list: 'deployments' };
  const [created, id] = page.cursor === undefined ? [] : decodeCursor(cursorScope, page.cursor);
  const em = scope.core.database.em();
  const filters: FilterQuery<Deployment>[] = [visibleTo(scope)];
  if (created !== undefined) filters.push(olderThan(new Date(created), String(id)));
  if (label !== undefined) filters.push({ labels: { $contains: [label] } });
  if (domain !== undefined) {
    const linked = await findLinkedDeployment(em, scope, domain);
    if (linked === null) return { deployments: [] };
    filters.push({ id: linked });
  }
  const found = await em.find(
    Deployment,
    { $and: filters },
    { orderBy: { created: 'desc', id: 'desc' }, limit: page.limit + 1, disableIdentityMap: true },
  );
  const { rows, nextCursor } = toPage(cursorScope, found, page.limit, (row) => [row.created.getTime(), row.id]);
  const ids = rows.map((row) => row.id);
  const domains = await readDomainNames(em, ids);
  return {
    deployments: rows.map((row) => toDeployment(scope.core.addresses, row, domains.get(row.id) ?? [])),
    ...(nextCursor ? { nextCursor } : {}),
  };
}

/** Returns the id of the deployment that a domain of the caller's account points at; `null` if it points at nothing. */
async function findLinkedDeployment(em: EntityManager, { caller }: Scope, domain: string): Promise<string | null> {
  const name = domainToASCII(domain).replace(/\.$/, '');
  const row = await em.findOne(Domain, { account: caller.account, name }, { fields: ['deployment'] });
  return row?.deployment?.id ?? null;
}

/** Returns the names of the domains that point at each of the deployments, sorted, at most 100 for a deployment. */
async function readDomainNames(em: EntityManager, deployments: readonly string[]): Promise<Map<string, string[]>> {
  if (deployments.length === 0) return new Map();
  const { rows } = await sql<{ deployment: string; names: string[] }>`
    select d.id as deployment, array(
      select name from domain where deployment_id = d.id order by name collate "C" limit ${MAX_LISTED_DOMAINS}) as names
    from unnest(${deployments}::text[]) as d (id)`.execute(db(em));
  return new Map(rows.map(({ deployment, names }) => [deployment, names]));
}

/** Converts a row of the transaction to the deployment that clients receive, with its domains. */
export async function withDomains(em: EntityManager, addresses: Addresses, row: Deployment): Promise<WireDeployment> {
  return toDeployment(addresses, row, (await readDomainNames(em, [row.id])).get(row.id) ?? []);
}

/** `GET /deployments/{deployment}`. @throws `not_found`. */
export async function getDeployment(scope: Scope, reference: string): Promise<WireDeployment> {
  const em = scope.core.database.em();
  return withDomains(em, scope.core.addresses, await getOwnDeployment(em, scope, reference));
}

/**
 * `PATCH /deployments/{deployment}`. What is absent stays as it is. After a change of the password, cookies of the old one
 * no longer unlock the site.
 *
 * @throws `not_found`; `business_logic_error` while it is being deleted, and for a `ttl` while domains point at it;
 *   `unavailable` if too many passwords are being hashed. Source: api §3.
 */
export async function updateDeployment(
  scope: Scope,
  reference: string,
  { labels, password, ttl }: Omit<DeploymentPatch, 'deployment'>,
): Promise<WireDeployment> {
  const passwordHash = typeof password === 'string' ? await hashNewPassword(scope, reference, password) : password;
  return scope.core.database.transaction(async (em) => {
    // Recording the activity locks the account, which must be locked before the deployment.
    await lockAccount(em, scope.caller.account);
    const row = await getOwnDeployment(em, scope, reference, { lock: true });
    if (row.status !== 'success')
      throw new ServiceError('business_logic_error', 'This deployment is being deleted and cannot be changed.', {
        details: { status: row.status },
      });
    if (typeof ttl === 'number') await refuseWhileLinked(em, row.id, 'A deployment that expires cannot have domains');
    const activity = activityOf(scope, row);
    if (labels) row.labels = labels;
    if (passwordHash !== undefined) row.passwordHash = passwordHash;
    if (ttl !== undefined) row.expires = ttl === null ? null : new Date(activity.created.getTime() + ttl * 1000);
    recordActivity(em, {
      ...activity,
      event: 'deployment.update',
      meta: {
        ...(labels && { labels }),
        ...(passwordHash !== undefined && { password: passwordHash !== null }),
        ...(ttl !== undefined && { expires: row.expires ? toUnixSeconds(row.expires) : null }),
      },
    });
    return withDomains(em, scope.core.addresses, row);
  });
}

/** Hashes one password of an account at a time, since the queue for passwords is shared with all visitors. */
async function hashNewPassword(scope: Scope, reference: string, password: string): Promise<string> {
  await getOwnDeployment(scope.core.database.em(), scope, reference);
  return runQueued(scope.core, `password:${scope.caller.account}`, () => hashPassword(password));
}

/**
 * `DELETE /deployments/{deployment}`: takes the site offline at once; its bytes are removed later. Can be repeated.
 *
 * @throws `not_found`; `business_logic_error` that names the domains that point at the deployment. Source: api §3.
 */
export async function deleteDeployment(
  scope: Scope,
  reference: string,
): Promise<{ deployment: string; status: 'deleting' }> {
  return scope.core.database.transaction(async (em) => {
    await lockAccount(em, scope.caller.account);
    const row = await getOwnDeployment(em, scope, reference, { lock: true });
    if (row.status === 'success') {
      await refuseWhileLinked(em, row.id, 'Domains still point at this deployment');
      row.status = 'deleting';
      await decrementDeploymentCount(em, scope.caller.account);
      recordActivity(em, { ...activityOf(scope, row), event: 'deployment.delete' });
    }
    return { deployment: row.id, status: 'deleting' as const };
  });
}

function activityOf({ core, caller }: Scope, { id }: Deployment) {
  return { account: caller.account, authMethod: caller.authMethod, created: core.now(), deployment: id };
}

async function refuseWhileLinked(em: EntityManager, deployment: string, reason: string): Promise<void> {
  const linked = await em.find(Domain, { deployment }, { fields: ['name'], orderBy: { name: 'asc' } });
  if (linked.length === 0) return;
  const domains = linked.map(({ name }) => name);
  const shown = domains.slice(0, MAX_NAMED_DOMAINS).join(', ') + (domains.length > MAX_NAMED_DOMAINS ? ', …' : '');
  throw new ServiceError(
    'business_logic_error',
    `${reason}: ${shown}. Link them to another deployment or delete them first.`,
    { details: { domains } },
  );
}

/** Counts deployments less, and marks the storage counter as an upper bound. The account must be locked. */
export async function decrementDeploymentCount(em: EntityManager, account: string, by = 1): Promise<void> {
  await db(em)
    .updateTable('account')
    .set((eb) => ({ deployment_count: eb('deployment_count', '-', by) }))
    .where('id', '=', account)
    .execute();
  await markStorageInexact(em, account);
}
