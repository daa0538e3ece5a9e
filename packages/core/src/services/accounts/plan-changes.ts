import type { AuthMethod } from '@berth/contract';
import { type EntityManager, LockMode } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { Core, Plans } from '../../core.ts';
import { Account, PlanChange } from '../../entities/index.ts';
import { invalid, notFound } from '../../errors.ts';
import { recordActivity } from '../activities/activities.ts';
import { endOfPeriod } from './billing-periods.ts';
import { type FittedDomains, fitCustomDomains } from '../domains/paused-domains.ts';
import { type RunLimits, workThrough } from '../work-through.ts';
import { toUnixSeconds } from '../timestamps.ts';

/** What became of a wish for another plan. */
export interface PlanChangeOutcome extends FittedDomains {
  /**
   * `changed` at once; `scheduled` for `due`; `cancelled`: the account stays on its plan, and a downgrade that waited does
   * not come; `unchanged`: it is on this plan already.
   */
  outcome: 'changed' | 'scheduled' | 'cancelled' | 'unchanged';
  from: string;
  to: string;
  /** When a scheduled change takes effect; else `null`. */
  due: Date | null;
}

const BATCH = 1000;

/**
 * Puts an account on another plan: an upgrade at once, a downgrade at the end of the billing period. What is an upgrade is
 * told by the rank of the plans. A wish replaces one that still waits; wishing for the current plan cancels it.
 *
 * Any plan of the table can be chosen, also one that is closed or arranged directly. When an account that paid nothing so
 * far begins to pay, its billing periods are counted from then on.
 *
 * @param options.atOnce Has a downgrade take effect at once, too.
 * @throws `not_found`; `validation_failed` for a plan that is not in the table.
 * Source: service-api part 3, contract §6.
 */
export async function changePlan(
  core: Core,
  account: string,
  plan: string,
  { atOnce = false }: { atOnce?: boolean } = {},
): Promise<PlanChangeOutcome> {
  if (!core.plans.all.some((known) => known.plan === plan))
    throw invalid(
      'plan',
      `"${plan}" is not a plan; use one of ${core.plans.all.map((known) => known.plan).join(', ')}`,
    );
  return core.database.transaction(async (em) => {
    const row = await em.findOne(Account, { id: account }, { lockMode: LockMode.PESSIMISTIC_WRITE });
    if (!row) throw notFound('account');
    const pending = await em.findOne(PlanChange, { account });
    const from = row.plan;
    const outcome = { from, to: plan, due: null, paused: [], resumed: [] };
    if (plan === from) {
      if (!pending) return { ...outcome, outcome: 'unchanged' };
      em.remove(pending);
      recordWish(em, core, account, { plan: from, cancelled: pending.plan });
      return { ...outcome, outcome: 'cancelled' };
    }
    if (!atOnce && rankOf(core.plans, plan) < rankOf(core.plans, from)) {
      const due = schedule(em, core, row, pending, plan);
      return { ...outcome, outcome: 'scheduled', due };
    }
    if (pending) em.remove(pending);
    return { ...outcome, outcome: 'changed', ...(await transition(em, core, row, plan, 'operator')) };
  });
}

/**
 * Applies the downgrades that are due, each in a transaction of its own. One that fails is logged and left to the next run.
 * Any number of processes may do so at once: each downgrade takes effect once.
 *
 * @returns How many this call applied. Source: contract §6.
 */
export async function applyDuePlanChanges(core: Core, { signal }: Pick<RunLimits, 'signal'> = {}): Promise<number> {
  const now = core.now();
  return workThrough<{ account: string }>(
    core,
    {
      task: 'apply plan changes',
      async due(skip, limit) {
        const { rows } = await sql<{ account: string }>`
          select account_id as account from plan_change
          where due <= ${now} and account_id <> all(${skip}) order by due limit ${limit}`.execute(core.database.kysely);
        return rows;
      },
      groupOf: ({ account }) => account,
      idsOf: ({ account }) => ({ account }),
      work: ({ account }) => applyDue(core, account, now),
    },
    { limit: BATCH, signal },
  );
}

/** Looks again once the account is locked: another process, or another wish, may have been first. */
async function applyDue(core: Core, account: string, now: Date): Promise<boolean> {
  return core.database.transaction(async (em) => {
    const row = await em.findOne(Account, { id: account }, { lockMode: LockMode.PESSIMISTIC_WRITE });
    const pending = row && (await em.findOne(PlanChange, { account, due: { $lte: now } }));
    if (!pending) return false;
    em.remove(pending);
    await transition(em, core, row, pending.plan, 'system');
    return true;
  });
}

/** Writes down a downgrade for the end of the billing period; the same wish again changes nothing. @returns When. */
function schedule(em: EntityManager, core: Core, row: Account, pending: PlanChange | null, plan: string): Date {
  const created = core.now();
  const due = endOfPeriod(row.periodStarted, row.period, created);
  if (pending?.plan === plan) return pending.due;
  if (pending) em.assign(pending, { plan, created, due });
  else em.persist(em.create(PlanChange, { account: row, plan, created, due }));
  recordWish(em, core, row.id, { plan: row.plan, scheduled: plan, due: toUnixSeconds(due) });
  return due;
}

/** The account is on the new plan from this transaction on, and its domains fit it. */
async function transition(
  em: EntityManager,
  core: Core,
  row: Account,
  plan: string,
  authMethod: AuthMethod,
): Promise<FittedDomains> {
  const from = row.plan;
  const created = core.now();
  if (isFree(core, from) && !isFree(core, plan)) row.periodStarted = created;
  row.plan = plan;
  recordActivity(em, {
    account: row.id,
    event: 'account.plan.transition',
    authMethod,
    created,
    meta: { from, to: plan },
  });
  return fitCustomDomains(em, core, { account: row.id, plan, authMethod });
}

function recordWish(em: EntityManager, core: Core, account: string, meta: Record<string, unknown>): void {
  recordActivity(em, { account, event: 'account.update', authMethod: 'operator', created: core.now(), meta });
}

function isFree(core: Core, plan: string): boolean {
  const { price } = core.plans.get(plan);
  return price !== 'contact' && price.month === 0 && price.year === 0;
}

/** A plan that is no longer in the table ranks like the one whose grants it has. */
function rankOf(plans: Plans, id: string): number {
  const plan = plans.get(id);
  return plan.rank ?? plans.all.indexOf(plan);
}
