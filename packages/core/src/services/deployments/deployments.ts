import {
  type Deployment as WireDeployment,
  type DeploymentList,
  type DeploymentPatch,
  type DeploymentQuery,
  MAX_LISTED_DOMAINS,
  parseDeploymentReference,
} from '@berth/contract';
import { domainToASCII } from 'node:url';
import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { z } from 'zod';
import type { Addresses, Scope } from '../../core.ts';
import { db } from '../../database/tables.ts';
import { type Deployment, Domain } from '../../entities/index.ts';
import { notFound, ServiceError } from '../../errors.ts';
import { lockAccount } from '../accounts/account-lock.ts';
import { markStorageInexact } from '../accounts/storage.ts';
import { recordActivity } from '../activities/activities.ts';
import { hashPassword } from '../passwords.ts';
import { getOwnDeployment } from '../own-deployments.ts';
import { runQueued } from '../run-queued.ts';
import { type CursorScope, decodeCursor, toPage, Values } from '../cursors.ts';
import { toUnixSeconds } from '../timestamps.ts';

const MAX_NAMED_DOMAINS = 10;

/** What a deployment shows of its row. */
type ShownDeployment = Pick<
  Deployment,
  | 'id'
  | 'status'
  | 'files'
  | 'size'
  | 'labels'
  | 'via'
  | 'authMethod'
  | 'token'
  | 'passwordHash'
  | 'created'
  | 'expires'
  | 'takenDown'
  | 'takeDownReason'
>;

/**
 * Converts a row to the deployment that clients receive.
 *
 * @param domains The names of the domains that point at the deployment, sorted, at most {@link MAX_LISTED_DOMAINS}.
 *   Source: api §3.
 */
export function toDeployment(addresses: Addresses, row: ShownDeployment, domains: string[]): WireDeployment {
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

/** The names of the domains that point at `d.id`, sorted. */
const DOMAIN_NAMES = `array_to_json(array(
  select name from domain where deployment_id = d.id order by name collate "C" limit ${MAX_LISTED_DOMAINS}))`;

/** Deployments as clients receive them. The text continues with the condition on `d`, of which {@link VISIBLE} is the first part. */
const SELECT_DEPLOYMENTS = `
  select d.id, d.status, d.files, d.size, array_to_json(d.labels) as labels, d.via, d.auth_method as "authMethod", d.token,
    d.password_hash as "passwordHash", d.created, d.expires, d.taken_down as "takenDown",
    d.take_down_reason as "takeDownReason", ${DOMAIN_NAMES} as domains
  from deployment d where `;

type DeploymentRow = ShownDeployment & { domains: string[] };

/** Expired deployments are hidden before they are swept. */
function isVisible({ core, caller }: Scope, values: Values): string {
  return `d.account_id = ${values.add(caller.account)} and (d.expires is null or d.expires > ${values.add(core.now())})`;
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
  const { core, caller } = scope;
  const cursorScope: CursorScope = { core, account: caller.account, list: 'deployments' };
  const values = new Values();
  const conditions = [isVisible(scope, values)];
  if (page.cursor !== undefined) {
    const [created, id] = decodeCursor(cursorScope, page.cursor);
    conditions.push(`(d.created, d.id) < (${values.add(new Date(created!))}, ${values.add(id)})`);
  }
  if (label !== undefined) conditions.push(`d.labels @> ${values.add([label])}::text[]`);
  if (domain !== undefined)
    conditions.push(
      `d.id = (select deployment_id from domain where account_id = $1 and name = ${values.add(nameOfDomain(domain))})`,
    );
  const found = await core.database.prepared<DeploymentRow>(
    `${SELECT_DEPLOYMENTS} ${conditions.join(' and ')} order by d.created desc, d.id desc limit ${values.add(page.limit + 1)}`,
    values.list,
  );
  const { rows, nextCursor } = toPage(cursorScope, found, page.limit, (row) => [row.created.getTime(), row.id]);
  return {
    deployments: rows.map((row) => toDeployment(core.addresses, row, row.domains)),
    ...(nextCursor ? { nextCursor } : {}),
  };
}

const nameOfDomain = (domain: string) => domainToASCII(domain).replace(/\.$/, '');

/** Returns the names of the domains that point at a deployment, sorted, at most {@link MAX_LISTED_DOMAINS}. */
async function readDomainNames(em: EntityManager, deployment: string): Promise<string[]> {
  const rows = await db(em)
    .selectFrom('domain')
    .select('name')
    .where('deployment_id', '=', deployment)
    .orderBy(sql`name collate "C"`)
    .limit(MAX_LISTED_DOMAINS)
    .execute();
  return rows.map(({ name }) => name);
}

/** Converts a row of the transaction to the deployment that clients receive, with its domains. */
export async function withDomains(em: EntityManager, addresses: Addresses, row: Deployment): Promise<WireDeployment> {
  return toDeployment(addresses, row, await readDomainNames(em, row.id));
}

/** `GET /deployments/{deployment}`. @throws `not_found`. */
export async function getDeployment(scope: Scope, reference: string): Promise<WireDeployment> {
  const { core } = scope;
  const id = parseDeploymentReference(reference, core.addresses.platformDomain);
  if (!id) throw notFound('deployment');
  const values = new Values();
  const text = `${SELECT_DEPLOYMENTS} ${isVisible(scope, values)} and d.id = ${values.add(id)}`;
  const [row] = await core.database.prepared<DeploymentRow>(text, values.list);
  if (!row) throw notFound('deployment');
  return toDeployment(core.addresses, row, row.domains);
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
