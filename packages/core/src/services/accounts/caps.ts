import type { Caps } from '@berth/contract';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Core } from '../../core.ts';
import { db } from '../../database/tables.ts';
import { ServiceError } from '../../errors.ts';

/** The caps on numbers of things. `storage` is measured in bytes. */
type CountedCap = Exclude<keyof Caps, 'storage'>;

type DomainUsage = Pick<Caps, 'platformDomains' | 'customDomains'>;

const MESSAGES: Record<CountedCap, (limit: number, used: number) => string> = {
  deployments: (limit, used) => atCap(limit, used, 'deployments'),
  platformDomains: (limit, used) => atCap(limit, used, 'platform domains'),
  customDomains: (limit, used) => atCap(limit, used, 'custom domains'),
  seats: (limit, used) =>
    `The plan has ${limit} ${limit === 1 ? 'seat' : 'seats'}, and the account has ${used} members. Remove one, or change the plan.`,
};

/**
 * Throws unless the plan covers one more than `used`.
 *
 * @throws `forbidden`, with `details`, at the cap. Source: api §2, §6; security T26.
 */
export function refuseBeyondCap(core: Core, plan: string, cap: CountedCap, used: number): void {
  const limit = core.plans.get(plan).caps?.[cap];
  if (limit !== undefined && used >= limit)
    throw new ServiceError('forbidden', MESSAGES[cap](limit, used), { details: { cap, used, limit } });
}

function atCap(limit: number, used: number, what: string): string {
  return `The plan allows ${limit} ${what}, and the account has ${used}. Delete one or change the plan.`;
}

/** Counts the domains of an account. Paused domains do not count. Source: api §6. */
export async function countDomains(em: EntityManager, account: string): Promise<DomainUsage> {
  return db(em)
    .selectFrom('domain')
    .select(({ fn }) => [
      fn.countAll<number>().filterWhere('kind', '=', 'platform').as('platformDomains'),
      fn.countAll<number>().filterWhere('kind', '=', 'custom').as('customDomains'),
    ])
    .where('account_id', '=', account)
    .where('status', '<>', 'paused')
    .executeTakeFirstOrThrow();
}
