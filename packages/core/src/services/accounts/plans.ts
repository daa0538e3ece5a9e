import {
  ANONYMOUS_PLAN,
  DEFAULT_PLANS,
  type DeployLimits,
  type Limits,
  type Plan,
  type PlanRow,
  UNLIMITED_PLAN,
} from '@berth/contract';
import type { Caller, Core, Plans, Scope } from '../../core.ts';

/**
 * Creates the plans from a list in display order, which must contain the plan of anonymous deploys. With an empty list there
 * are no plans: no account has caps, and anonymous deploys have the limits of the built-in plan. Source: api §6.
 */
export function createPlans(all: readonly Plan[]): Plans {
  const table = all.length > 0 ? all : DEFAULT_PLANS;
  const byId = new Map(table.map((plan) => [plan.plan, plan]));
  const anonymous = byId.get(ANONYMOUS_PLAN);
  if (!anonymous) throw new Error(`The plan table has no plan "${ANONYMOUS_PLAN}", which anonymous deploys use.`);
  return { all, anonymous, get: all.length > 0 ? (plan) => byId.get(plan) ?? anonymous : () => UNLIMITED_PLAN };
}

/** Returns the limits of a deploy: those of the account's plan, or of Free for an anonymous caller. Source: api §3. */
export function limitsOf({ core, caller }: Scope<Caller>): DeployLimits {
  const { plans } = core;
  return (caller.kind === 'account' ? plans.get(caller.plan) : plans.anonymous).limits;
}

/** The limits of a deploy, and the file extensions that it must not have, in lower case and without the dot. */
export interface FileLimits extends DeployLimits {
  blockedExtensions: ReadonlySet<string>;
}

/** Returns the rules for the files of a deploy. Source: api §3, §10. */
export function fileLimitsOf(scope: Scope<Caller>): FileLimits {
  return { ...limitsOf(scope), blockedExtensions: scope.core.blockedExtensions };
}

/** `GET /limits`: the limits of a deploy of the caller, and the platform domain. Source: api §6. */
export function getLimits(scope: Scope<Caller>): Limits {
  const { addresses, blockedExtensions } = scope.core;
  return { ...limitsOf(scope), blockedExtensions: [...blockedExtensions], platformDomain: addresses.platformHost };
}

/** `GET /plans`: the plans, in display order. */
export function listPlans(core: Core): { plans: PlanRow[] } {
  const plans = core.plans.all.map(({ plan, name, price, caps, closed }) => {
    return { plan, name, price, caps, ...(closed ? { closed } : {}) };
  });
  return { plans };
}
