import type { Domain as WireDomain } from '@berth/contract';
import { type EntityManager, LockMode, UniqueConstraintViolationException } from '@mikro-orm/postgresql';
import { Account, type Deployment, Domain } from '../../entities/index.ts';
import { ServiceError } from '../../errors.ts';
import { recordActivity } from '../activities/activities.ts';
import type { AccountCaller, Scope } from '../../core.ts';
import { lockActiveAccount } from '../accounts/account-lock.ts';
import { type DomainName, requireUsableName } from '../domain-names.ts';
import { getOwnDeployment } from '../own-deployments.ts';
import { isNameTaken, NAME_TAKEN, toDomain } from './domains.ts';
import { recordVersion } from './record-version.ts';
import { randomSecret } from '../random.ts';
import { toUnixSeconds } from '../timestamps.ts';
import { countDomains, refuseBeyondCap } from '../accounts/caps.ts';

/** The fields of a domain that a request sets. Absent fields stay unchanged. */
export interface DomainChange {
  deployment?: string | undefined;
  labels?: string[] | undefined;
}

/** The pause before the first automatic DNS check of a new domain, whose records do not exist yet. */
const FIRST_CHECK_MS = 60_000;

/**
 * `PUT /domains/{domain}`: creates a domain, links it to a deployment, switches it to another one, or sets its labels. A
 * switch changes one row, so no visitor sees a mixture or a gap. A request that changes nothing is not recorded. If two
 * accounts request a platform domain at the same time, exactly one succeeds. Parallel requests cannot exceed a cap.
 *
 * @throws `validation_failed` for a name that cannot be a domain; `not_found` for a deployment that is missing or
 *   belongs to another account; `business_logic_error` for a deployment that is not live, was taken down or expires, and
 *   for a name of another account; `forbidden`, with `details`, at the plan's cap. Source: api §4; security T26, T28,
 *   T35.
 */
export async function putDomain(
  scope: Scope,
  reference: string,
  change: DomainChange,
): Promise<{ domain: WireDomain; created: boolean }> {
  const name = requireUsableName(scope.core.addresses, reference);
  return scope.core.database.transaction(async (em) => {
    const { plan } = await lockActiveAccount(em, scope.caller.account);
    const deployment = change.deployment === undefined ? null : await getLinkable(em, scope, change.deployment);
    return setDomain(em, scope, { ...name, plan }, { deployment, labels: change.labels });
  });
}

interface DomainFields {
  /** The deployment to link; `null` keeps the current link. */
  deployment: Deployment | null;
  labels?: string[] | undefined;
}

/** A name, and the plan of the account whose domain it is or becomes. */
type PlannedName = DomainName & { plan: string };

/**
 * Does the work of {@link putDomain} in the caller's transaction, which must have locked the account and the deployment, and
 * writes all pending rows. Locks the domain.
 *
 * @throws `business_logic_error` for a name of another account; `forbidden`, with `details`, at the plan's cap.
 */
export async function setDomain(
  em: EntityManager,
  scope: Scope,
  name: PlannedName,
  fields: DomainFields,
): Promise<{ domain: WireDomain; created: boolean }> {
  const { core, caller } = scope;
  const row = await em.findOne(
    Domain,
    { account: caller.account, name: name.name },
    { lockMode: LockMode.PESSIMISTIC_WRITE },
  );
  if (row) {
    await updateDomain(em, scope, row, fields);
    await em.flush();
    return { domain: toDomain(core.addresses, row), created: false };
  }
  await requireAvailable(em, scope, name);
  const createdDomain = await createDomain(em, scope, name, fields);
  try {
    await em.flush();
  } catch (error) {
    // Another account has created the platform domain since `requireAvailable` returned.
    if (error instanceof UniqueConstraintViolationException) throw nameTakenError(name);
    throw error;
  }
  return { domain: toDomain(core.addresses, createdDomain), created: true };
}

/**
 * Refuses a domain that {@link setDomain} would refuse now, so that a client need not send its files. Locks nothing, so
 * {@link setDomain} decides.
 *
 * @throws what {@link setDomain} throws. Source: api §3.
 */
export async function refuseUnavailableDomain(scope: Scope, name: DomainName): Promise<void> {
  const { core, caller } = scope;
  const em = core.database.em();
  if ((await em.count(Domain, { account: caller.account, name: name.name })) > 0) return;
  await requireAvailable(em, scope, { ...name, plan: caller.plan });
}

/** Throws unless the account can create a domain with a name. */
async function requireAvailable(em: EntityManager, scope: Scope, { plan, ...name }: PlannedName): Promise<void> {
  if (await isNameTaken(em, scope.caller.account, name)) throw nameTakenError(name);
  await requireDomainRoom(em, scope, plan, name.kind);
}

async function createDomain(
  em: EntityManager,
  { core, caller }: Scope,
  { name, kind }: DomainName,
  { deployment, labels = [] }: DomainFields,
): Promise<Domain> {
  const created = core.now();
  const isCustom = kind === 'custom';
  const row = em.create(Domain, {
    account: em.getReference(Account, caller.account),
    name,
    kind,
    status: isCustom ? 'pending' : 'success',
    deployment,
    labels,
    created,
    linked: deployment ? created : null,
    links: deployment ? 1 : 0,
    verified: isCustom ? null : created,
    nextCheck: isCustom ? new Date(created.getTime() + FIRST_CHECK_MS) : null,
    checks: [],
    shareHash: isCustom ? randomSecret() : null,
  });
  em.persist(row);
  if (deployment) await recordLink(em, caller, row, created);
  recordActivity(em, {
    account: caller.account,
    event: 'domain.create',
    authMethod: caller.authMethod,
    created,
    domain: name,
    deployment: deployment?.id,
    meta: { labels },
  });
  return row;
}

async function updateDomain(
  em: EntityManager,
  scope: Scope,
  row: Domain,
  { deployment, labels }: DomainFields,
): Promise<void> {
  const { core, caller } = scope;
  const previous = row.deployment?.id ?? null;
  const isSwitched = deployment !== null && deployment.id !== previous;
  const isLabelled = labels !== undefined && JSON.stringify(labels) !== JSON.stringify(row.labels);
  if (!isSwitched && !isLabelled) return;
  const now = core.now();
  if (isSwitched) {
    row.deployment = deployment;
    row.linked = now;
    row.links += 1;
    await recordLink(em, caller, row, now);
  }
  if (isLabelled) row.labels = labels;
  recordActivity(em, {
    account: caller.account,
    event: 'domain.update',
    authMethod: caller.authMethod,
    created: now,
    domain: row.name,
    deployment: isSwitched ? deployment.id : undefined,
    meta: { ...(isSwitched ? { previous } : {}), ...(isLabelled ? { labels } : {}) },
  });
}

function recordLink(em: EntityManager, caller: AccountCaller, row: Domain, at: Date): Promise<void> {
  const { account, authMethod, token } = caller;
  return recordVersion(em, { account, domain: row.name, deployment: row.deployment!.id, by: authMethod, token, at });
}

/** Locks and returns a deployment of the caller that is live and does not expire, so that a domain can point at it. */
async function getLinkable(em: EntityManager, scope: Scope, reference: string): Promise<Deployment> {
  const row = await getOwnDeployment(em, scope, reference, { lock: true });
  if (row.status !== 'success')
    throw refusal('This deployment is being deleted; link the domain to another one.', { status: row.status });
  if (row.takenDown)
    throw refusal('This deployment was taken down by the operator; link the domain to another one.', {
      state: 'taken_down',
    });
  if (row.expires)
    throw refusal('This deployment expires; link the domain to one that does not expire.', {
      expires: toUnixSeconds(row.expires),
    });
  return row;
}

function nameTakenError({ name }: DomainName): ServiceError {
  return refusal(`domain: ${NAME_TAKEN}.`, { domain: name });
}

function refusal(message: string, details: Record<string, unknown>): ServiceError {
  return new ServiceError('business_logic_error', message, { details });
}

/** Maximum number of unverified domains of an account, because each of them is checked repeatedly. */
export const MAX_UNVERIFIED_DOMAINS = 10_000;

/**
 * Throws unless the account may have one more domain. The account must be locked, so that parallel requests cannot
 * exceed a cap.
 *
 * @throws `forbidden`, with `details`, at the cap of the plan; `business_logic_error` for a custom domain of an
 *   account that has {@link MAX_UNVERIFIED_DOMAINS}, whatever its plan. Source: api §6; security T26.
 */
async function requireDomainRoom(
  em: EntityManager,
  { core, caller: { account } }: Scope,
  plan: string,
  kind: DomainName['kind'],
): Promise<void> {
  const cap = kind === 'custom' ? 'customDomains' : 'platformDomains';
  refuseBeyondCap(core, plan, cap, (await countDomains(em, account))[cap]);
  if (kind !== 'custom') return;
  const unverifiedCount = await em.count(Domain, { account, status: { $in: ['pending', 'partial'] } });
  if (unverifiedCount >= MAX_UNVERIFIED_DOMAINS)
    throw refusal(
      `An account must have at most ${MAX_UNVERIFIED_DOMAINS.toLocaleString('en-US')} unverified domains: verify or delete one first.`,
      { state: 'too_many_unverified_domains', limit: MAX_UNVERIFIED_DOMAINS },
    );
}
