import type { Account as WireAccount, AuthMethod, Plan } from '@berth/contract';
import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { Caller, Core, Scope } from '../../core.ts';
import { db } from '../../database/tables.ts';
import { Account, Member, PlanChange, Token } from '../../entities/index.ts';
import { recordActivity } from '../activities/activities.ts';
import type { BillingPeriod } from './billing-periods.ts';
import { accountDeleted, lockAccount, type LockedAccount } from './account-lock.ts';
import { refuseBeyondCap } from './caps.ts';
import { findOwnerAccount } from './owner-account.ts';
import { readStorage } from './storage.ts';
import { randomSuffix, secretHash } from '../random.ts';
import { toUnixSeconds } from '../timestamps.ts';
import { createToken } from './tokens.ts';

const FIRST_START_LOCK = 7_212_002;

const SELECT_ACCOUNT = `
  select a.id, a.email, a.name, a.plan, a.deployment_count as deployments, a.storage_bytes as storage,
    a.storage_exact as "isStorageExact", a.created,
    (select count(*) from member where account_id = a.id) as seats,
    d."platformDomains", d."customDomains",
    (select last4 from token where account_id = a.id and kind = 'api' order by created desc, id desc limit 1) as hint,
    c.plan as "nextPlan", c.due
  from account a left join plan_change c on c.account_id = a.id cross join lateral (
    select count(*) filter (where kind = 'platform') as "platformDomains",
      count(*) filter (where kind = 'custom') as "customDomains"
    from domain where account_id = a.id and status <> 'paused') d
  where a.id = $1`;

interface AccountRow extends Pick<Account, 'id' | 'email' | 'name' | 'plan' | 'created'> {
  deployments: number;
  storage: number;
  isStorageExact: boolean;
  seats: number;
  platformDomains: number;
  customDomains: number;
  hint: string | null;
  /** The plan after a downgrade, and when; `null` without one. */
  nextPlan: string | null;
  due: Date | null;
}

/** `GET /account`. Source: api §6. */
export async function getAccount({ core, caller }: Scope): Promise<WireAccount> {
  const [row] = await core.database.prepared<AccountRow>(SELECT_ACCOUNT, [caller.account]);
  if (!row) throw accountDeleted();
  const plan = core.plans.get(row.plan);
  return {
    account: row.id,
    email: row.email,
    name: row.name ?? null,
    // Without plans, rows may have the ids of earlier plans.
    plan: core.plans.all.length === 0 ? plan.plan : row.plan,
    usage: {
      deployments: row.deployments,
      platformDomains: row.platformDomains,
      customDomains: row.customDomains,
      seats: row.seats,
      storage: row.isStorageExact ? row.storage : await readStorage(core, row.id),
    },
    caps: plan.caps,
    scheduled: row.nextPlan === null ? null : { plan: row.nextPlan, due: toUnixSeconds(row.due!) },
    created: toUnixSeconds(row.created),
    hint: row.hint,
    authMethod: caller.authMethod,
    used: caller.used && toUnixSeconds(caller.used),
  };
}

/** Returns the plan that an account will have after a downgrade, and when, in Unix seconds. */
export async function readScheduledPlan(em: EntityManager, account: string) {
  const change = await em.findOne(PlanChange, { account });
  return change && { plan: change.plan, due: toUnixSeconds(change.due) };
}

export interface NewAccount {
  email: string;
  plan: string;
  name?: string | null;
  /** The length of a billing period. Default: a month. The first period begins when the account is created. */
  period?: BillingPeriod;
  /** True for the account that the first start of the server creates. */
  isOwner?: boolean;
  /** Who creates it. Default: the operator. */
  authMethod?: AuthMethod;
}

/** Creates an account with its first member, in the caller's transaction. @returns Its id. */
export function createAccount(
  em: EntityManager,
  core: Core,
  { email, plan, name = null, period = 'month', isOwner = false, authMethod = 'operator' }: NewAccount,
): string {
  const id = `acc-${randomSuffix()}${randomSuffix()}`;
  const created = core.now();
  em.persist(
    em.create(Account, { id, email, name, plan, created, dnsName: randomSuffix(), period, periodStarted: created }),
  );
  em.persist(em.create(Member, { account: em.getReference(Account, id), email, role: 'owner', created }));
  const meta = { email, plan, ...(isOwner ? { owner: true } : {}) };
  recordActivity(em, { account: id, event: 'account.create', authMethod, created, meta });
  return id;
}

/** Creates an API key in the caller's transaction, which must have locked or created the account. @returns The key. */
export function insertApiKey(em: EntityManager, core: Core, account: string, secret?: string): string {
  const created = core.now();
  const key = createToken(em, account, { kind: 'api', created, secret });
  recordActivity(em, { account, event: 'account.key.generate', authMethod: 'operator', created, token: key.token });
  return key.secret;
}

/**
 * Creates the owner's account if there is none yet and, if the operator chose a key, adds that key to it. If several
 * processes start at once, one of them creates the account.
 *
 * @returns The owner's API key if this call generated one; otherwise `null`. Source: api §8.
 */
export async function ensureOwner(
  core: Core,
  { email, plan, apiKey }: { email: string; plan: Plan; apiKey?: string | undefined },
): Promise<string | null> {
  return core.database.transaction(async (em) => {
    await sql`select pg_advisory_xact_lock(${FIRST_START_LOCK})`.execute(db(em));
    const owner = await findOwnerAccount(em, email);
    if (!owner && !apiKey && (await hasOwner(em))) return null;
    const account = owner?.id ?? createAccount(em, core, { email, plan: plan.plan, isOwner: true });
    if (owner) await lockAccount(em, account);
    if (apiKey) {
      if (!(await em.findOne(Token, { secretHash: secretHash(apiKey) }))) insertApiKey(em, core, account, apiKey);
      return null;
    }
    return owner ? null : insertApiKey(em, core, account);
  });
}

/** True if the owner's account was ever created, whatever its e-mail address is now. Other accounts do not count. */
async function hasOwner(em: EntityManager): Promise<boolean> {
  const created = await db(em)
    .selectFrom('activity')
    .select('id')
    .where('event', '=', 'account.create')
    .where('meta', '@>', { owner: true })
    .limit(1)
    .executeTakeFirst();
  return created !== undefined;
}

/**
 * Refuses a caller whose account has as many deployments as its plan allows, so that the client need not send anything.
 * Parallel deploys may pass this check; {@link incrementDeploymentCount} then enforces the cap.
 *
 * @param leaving The number of deployments that the deploy will delete.
 * @throws `forbidden`, with `details`. Source: api §6.
 */
export async function refuseAtDeploymentCap({ core, caller }: Scope<Caller>, leaving = 0): Promise<void> {
  if (caller.kind === 'anonymous') return;
  const account = await core.database.em().findOne(Account, { id: caller.account });
  if (!account) throw accountDeleted();
  refuseBeyondCap(core, account.plan, 'deployments', account.deploymentCount - leaving);
}

/**
 * Counts one more deployment of a locked account, if its plan's cap allows it. Parallel deploys cannot exceed the cap.
 *
 * @throws `forbidden`, with `details`, if the cap is reached. Source: api §6; security T26.
 */
export async function incrementDeploymentCount(em: EntityManager, core: Core, account: LockedAccount): Promise<void> {
  refuseBeyondCap(core, account.plan, 'deployments', account.deployments);
  await db(em)
    .updateTable('account')
    .set((eb) => ({ deployment_count: eb('deployment_count', '+', 1) }))
    .where('id', '=', account.id)
    .execute();
}
