import type { Domain as WireDomain } from '@berth/contract';
import { type EntityManager, LockMode, UniqueConstraintViolationException } from '@mikro-orm/postgresql';
import { Account, type Deployment, Domain } from '../../entities/index.ts';
import { invalid, ServiceError } from '../../errors.ts';
import { recordActivity } from '../activities/activities.ts';
import type { Core, Scope } from '../../core.ts';
import { getOwnDeployment } from '../deployments/deployments.ts';
import { lockActiveAccount } from '../accounts/account-lock.ts';
import type { DomainName } from './domain-names.ts';
import { isNameTaken, NAME_TAKEN, readUsableName, toDomain } from './domains.ts';
import { randomSecret } from '../random.ts';
import { toUnixSeconds } from '../timestamps.ts';
import { countDomains, refuseBeyondCap } from '../accounts/caps.ts';

/** The fields that a PUT sets. Absent fields stay unchanged. */
export interface DomainChange {
  deployment?: string | undefined;
  labels?: string[] | undefined;
}

/** The pause before the first automatic DNS check of a new domain, whose records do not exist yet. */
const FIRST_CHECK_MS = 60_000;

/**
 * `PUT /domains/{domain}`: creates a domain, links it to a deployment, switches it to another one, or sets its labels.
 *
 * A switch changes one row, so no visitor sees a mixture or a gap. A request that changes nothing is not recorded. If
 * two accounts request one platform domain at the same time, exactly one gets it. Parallel requests cannot exceed a
 * cap.
 *
 * @throws `validation_failed` for a name that cannot be a domain; `not_found` for a deployment that is missing or
 *   belongs to another account; `business_logic_error` for a deployment that is not live, was taken down or expires,
 *   and for a name of another account; `forbidden`, with `details`, at the plan's cap. Source: api §4; security T26,
 *   T28, T35.
 */
export async function putDomain(
  scope: Scope,
  reference: string,
  change: DomainChange,
): Promise<{ domain: WireDomain; created: boolean }> {
  const { core } = scope;
  const name = readUsableName(core.addresses, reference);
  if (!name.ok) throw invalid('domain', name.reason);
  try {
    return await core.database.transaction(async (em) => {
      const { plan } = await lockActiveAccount(em, scope.caller.account);
      const deployment = change.deployment === undefined ? null : await getLinkable(em, scope, change.deployment);
      const row = await em.findOne(
        Domain,
        { account: scope.caller.account, name: name.name },
        { lockMode: LockMode.PESSIMISTIC_WRITE },
      );
      if (row) {
        updateDomain(em, scope, row, { deployment, labels: change.labels });
        return { domain: toDomain(core.addresses, row), created: false };
      }
      if (await isNameTaken(em, scope.caller.account, name)) throw nameTaken(name);
      await requireDomainRoom(em, core, { account: scope.caller.account, plan }, name.kind);
      const createdDomain = createDomain(em, scope, name, { deployment, labels: change.labels ?? [] });
      await em.flush();
      return { domain: toDomain(core.addresses, createdDomain), created: true };
    });
  } catch (error) {
    // Another account got the platform domain after the check.
    if (error instanceof UniqueConstraintViolationException) throw nameTaken(name);
    throw error;
  }
}

function createDomain(
  em: EntityManager,
  { core, caller }: Scope,
  { name, kind }: DomainName,
  { deployment, labels }: { deployment: Deployment | null; labels: string[] },
): Domain {
  const created = core.now();
  const custom = kind === 'custom';
  const row = em.create(Domain, {
    account: em.getReference(Account, caller.account),
    name,
    kind,
    status: custom ? 'pending' : 'success',
    deployment,
    labels,
    created,
    linked: deployment ? created : null,
    links: deployment ? 1 : 0,
    verified: custom ? null : created,
    nextCheck: custom ? new Date(created.getTime() + FIRST_CHECK_MS) : null,
    checks: [],
    shareHash: custom ? randomSecret() : null,
  });
  em.persist(row);
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

function updateDomain(
  em: EntityManager,
  { core, caller }: Scope,
  row: Domain,
  { deployment, labels }: { deployment: Deployment | null; labels: string[] | undefined },
): void {
  const before = row.deployment?.id ?? null;
  const isSwitched = deployment !== null && deployment.id !== before;
  const isLabelled = labels !== undefined && JSON.stringify(labels) !== JSON.stringify(row.labels);
  if (!isSwitched && !isLabelled) return;
  const now = core.now();
  if (isSwitched) {
    row.deployment = deployment;
    row.linked = now;
    row.links += 1;
  }
  if (isLabelled) row.labels = labels;
  recordActivity(em, {
    account: caller.account,
    event: 'domain.update',
    authMethod: caller.authMethod,
    created: now,
    domain: row.name,
    deployment: isSwitched ? deployment.id : undefined,
    meta: { ...(isSwitched ? { previous: before } : {}), ...(isLabelled ? { labels } : {}) },
  });
}

/** Returns a deployment of the caller to which a domain can be linked, locked: it is live and permanent. */
async function getLinkable(em: EntityManager, scope: Scope, reference: string): Promise<Deployment> {
  const row = await getOwnDeployment(em, scope, reference, { lock: true });
  if (row.status !== 'success')
    throw new ServiceError(
      'business_logic_error',
      'This deployment is being deleted; link the domain to another one.',
      {
        details: { status: row.status },
      },
    );
  if (row.takenDown)
    throw new ServiceError(
      'business_logic_error',
      'This deployment was taken down by the operator; link the domain to another one.',
      { details: { state: 'taken_down' } },
    );
  if (row.expires)
    throw new ServiceError('business_logic_error', 'This deployment expires; link the domain to one that stays.', {
      details: { expires: toUnixSeconds(row.expires) },
    });
  return row;
}

function nameTaken({ name }: DomainName): ServiceError {
  return new ServiceError('business_logic_error', `domain: ${NAME_TAKEN}.`, { details: { domain: name } });
}

const CAP_OF = { platform: 'platformDomains', custom: 'customDomains' } as const;

/** The maximum number of domains of an account whose DNS is not verified. Each of them is checked repeatedly. */
export const MAX_UNVERIFIED_DOMAINS = 10_000;

/**
 * Throws unless the account may have one more domain. The caller must hold the lock of the account row, so that
 * parallel requests cannot exceed a cap.
 *
 * @throws `forbidden`, with `details`, at the cap of the plan; `business_logic_error` for a custom domain of an
 *   account that has {@link MAX_UNVERIFIED_DOMAINS}, whatever its plan. Source: api §6; security T26.
 */
async function requireDomainRoom(
  em: EntityManager,
  core: Core,
  { account, plan }: { account: string; plan: string },
  kind: DomainName['kind'],
): Promise<void> {
  const cap = CAP_OF[kind];
  refuseBeyondCap(core, plan, cap, (await countDomains(em, account))[cap]);
  if (kind === 'custom') await refuseManyUnverified(em, account);
}

async function refuseManyUnverified(em: EntityManager, account: string): Promise<void> {
  const unverified = await em.count(Domain, { account, status: { $in: ['pending', 'partial'] } });
  if (unverified >= MAX_UNVERIFIED_DOMAINS)
    throw new ServiceError(
      'business_logic_error',
      `An account must have at most ${MAX_UNVERIFIED_DOMAINS.toLocaleString('en-US')} domains that are not verified: verify or delete one first.`,
      { details: { state: 'too_many_unverified_domains', limit: MAX_UNVERIFIED_DOMAINS } },
    );
}
