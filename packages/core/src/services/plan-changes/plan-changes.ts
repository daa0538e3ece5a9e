import type { AuthMethod } from '@berth/contract';
import { type EntityManager, LockMode } from '@mikro-orm/postgresql';
import type { Core, Plans } from '../../core.ts';
import { Account, Domain, PlanChange } from '../../entities/index.ts';
import { invalid, notFound } from '../../errors.ts';
import { recordActivity } from '../activities/activities.ts';
import { endOfPeriod } from '../accounts/billing-periods.ts';
import { type RunLimits, runWorklist } from '../worklist.ts';
import { toUnixSeconds } from '../timestamps.ts';

/** The result of a requested plan change. */
export interface PlanChangeOutcome {
  /**
   * `changed`: the plan changed at once. `scheduled`: it will change at `due`. `cancelled`: the account stays on its plan,
   * and its scheduled downgrade is dropped. `unchanged`: the account is already on this plan.
   */
  outcome: 'changed' | 'scheduled' | 'cancelled' | 'unchanged';
  from: string;
  to: string;
  /** When a scheduled change takes effect; otherwise `null`. */
  due: Date | null;
  /** The names of the custom domains that the change paused and resumed. */
  paused: string[];
  resumed: string[];
}

type ChangedDomains = Pick<PlanChangeOutcome, 'paused' | 'resumed'>;

const BATCH_SIZE = 1000;

/**
 * Changes the plan of an account: an upgrade at once, a downgrade at the end of the billing period. A change to a plan of
 * lower rank is a downgrade. A request replaces a scheduled downgrade; requesting the current plan cancels it.
 *
 * Every plan can be chosen, even if it is closed or arranged directly. When an account changes from a free to a paid
 * plan, its billing periods start again.
 *
 * @param options.atOnce True for a downgrade that takes effect at once.
 * @throws `not_found`; `validation_failed` for an unknown plan. Source: api §6.
 */
export async function changePlan(
  core: Core,
  account: string,
  plan: string,
  { atOnce = false }: { atOnce?: boolean } = {},
): Promise<PlanChangeOutcome> {
  const names = core.plans.all.map((known) => known.plan);
  if (!names.includes(plan)) throw invalid('plan', `the plan must be one of ${names.join(', ')}, not "${plan}"`);
  return core.database.transaction(async (em) => {
    const row = await em.findOne(Account, { id: account }, { lockMode: LockMode.PESSIMISTIC_WRITE });
    if (!row) throw notFound('account');
    const pendingChange = await em.findOne(PlanChange, { account });
    const oldPlan = row.plan;
    const outcome = { from: oldPlan, to: plan, due: null, paused: [], resumed: [] };
    if (plan === oldPlan) {
      if (!pendingChange) return { ...outcome, outcome: 'unchanged' };
      em.remove(pendingChange);
      recordRequest(em, core, account, { plan: oldPlan, cancelled: pendingChange.plan });
      return { ...outcome, outcome: 'cancelled' };
    }
    if (!atOnce && rankOf(core.plans, plan) < rankOf(core.plans, oldPlan))
      return { ...outcome, outcome: 'scheduled', due: schedule(em, core, row, pendingChange, plan) };
    if (pendingChange) em.remove(pendingChange);
    return { ...outcome, outcome: 'changed', ...(await transition(em, core, row, plan, 'operator')) };
  });
}

/**
 * Applies the downgrades that are due, each in its own transaction. A failed downgrade is logged and retried by the next
 * run. If several processes run this at the same time, each downgrade is applied once.
 *
 * @returns The number of downgrades that this call applied. Source: api §6.
 */
export async function applyDuePlanChanges(core: Core, { signal }: Pick<RunLimits, 'signal'> = {}): Promise<number> {
  const now = core.now();
  return runWorklist<{ account: { id: string } }>(
    core,
    {
      task: 'apply plan changes',
      due: (skip, limit) =>
        core.database
          .em()
          .find(PlanChange, { due: { $lte: now }, account: { $nin: [...skip] } }, { orderBy: { due: 'asc' }, limit }),
      groupOf: ({ account }) => account.id,
      idsOf: ({ account }) => ({ account: account.id }),
      work: ({ account }) => applyDue(core, account.id, now),
    },
    { limit: BATCH_SIZE, signal },
  );
}

/** Reads the downgrade again under the lock: another process may have applied it, or a request may have changed it. */
async function applyDue(core: Core, account: string, now: Date): Promise<boolean> {
  return core.database.transaction(async (em) => {
    const row = await em.findOne(Account, { id: account }, { lockMode: LockMode.PESSIMISTIC_WRITE });
    const dueChange = row && (await em.findOne(PlanChange, { account, due: { $lte: now } }));
    if (!dueChange) return false;
    em.remove(dueChange);
    await transition(em, core, row, dueChange.plan, 'system');
    return true;
  });
}

/** Schedules a downgrade for the end of the billing period. @returns When it takes effect. */
function schedule(em: EntityManager, core: Core, row: Account, pending: PlanChange | null, plan: string): Date {
  const created = core.now();
  const due = endOfPeriod(row.periodStarted, row.period, created);
  if (pending?.plan === plan) return pending.due;
  if (pending) em.assign(pending, { plan, created, due });
  else em.persist(em.create(PlanChange, { account: row, plan, created, due }));
  recordRequest(em, core, row.id, { plan: row.plan, scheduled: plan, due: toUnixSeconds(due) });
  return due;
}

async function transition(
  em: EntityManager,
  core: Core,
  row: Account,
  plan: string,
  authMethod: AuthMethod,
): Promise<ChangedDomains> {
  const oldPlan = row.plan;
  const created = core.now();
  if (isFree(core, oldPlan) && !isFree(core, plan)) row.periodStarted = created;
  row.plan = plan;
  const account = row.id;
  recordActivity(em, {
    account,
    event: 'account.plan.transition',
    authMethod,
    created,
    meta: { from: oldPlan, to: plan },
  });
  return pauseOrResumeDomains(em, core, { account, plan, authMethod });
}

/**
 * Pauses custom domains beyond the cap of a plan, newest first, or resumes paused domains up to the cap, oldest first.
 * Nothing is deleted, and platform domains and deployments beyond their caps stay unchanged.
 *
 * Runs in the caller's transaction, which must have locked the account. A resumed domain serves at once if it was verified
 * before; otherwise it is pending like a new domain. The DNS of every resumed domain is checked soon. Source: api §4, §6.
 */
export async function pauseOrResumeDomains(
  em: EntityManager,
  core: Core,
  { account, plan, authMethod }: { account: string; plan: string; authMethod: AuthMethod },
): Promise<ChangedDomains> {
  const cap = core.plans.get(plan).caps?.customDomains ?? Infinity;
  const lockedDomains = await em.find(
    Domain,
    { account, kind: 'custom' },
    { orderBy: { name: 'asc', id: 'asc' }, lockMode: LockMode.PESSIMISTIC_WRITE },
  );
  const oldestFirst = lockedDomains.toSorted((a, b) => a.created.getTime() - b.created.getTime() || a.id - b.id);
  const activeDomains = oldestFirst.filter(({ status }) => status !== 'paused');
  const paused = activeDomains.slice(Math.min(cap, activeDomains.length)).toReversed();
  const resumedDomains = oldestFirst
    .filter(({ status }) => status === 'paused')
    .slice(0, Math.max(0, cap - activeDomains.length));
  const created = core.now();
  for (const domain of paused) em.assign(domain, { status: 'paused', nextCheck: null });
  for (const domain of resumedDomains)
    em.assign(domain, {
      nextCheck: created,
      ...(domain.verified ? { status: 'success' } : { status: 'pending', misses: 0, missing: created }),
    });
  for (const [event, changed] of [
    ['domain.pause', paused],
    ['domain.resume', resumedDomains],
  ] as const)
    for (const { name } of changed)
      recordActivity(em, { account, event, authMethod, created, domain: name, meta: { plan } });
  return { paused: paused.map(({ name }) => name), resumed: resumedDomains.map(({ name }) => name) };
}

function recordRequest(em: EntityManager, core: Core, account: string, meta: Record<string, unknown>): void {
  recordActivity(em, { account, event: 'account.update', authMethod: 'operator', created: core.now(), meta });
}

function isFree(core: Core, plan: string): boolean {
  const { price } = core.plans.get(plan);
  return price !== 'contact' && price.month === 0 && price.year === 0;
}

/** Returns the rank of a plan; its position if it has none. */
function rankOf(plans: Plans, id: string): number {
  const plan = plans.get(id);
  return plan.rank ?? plans.all.indexOf(plan);
}
