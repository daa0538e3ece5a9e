import type { Caps } from '@berth/contract';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Core } from '../../core.ts';
import { db } from '../../database/tables.ts';
import { ServiceError } from '../../errors.ts';

/** The caps on numbers of things. The remaining cap, `storage`, is measured in bytes. */
type CountedCap = Exclude<keyof Caps, 'storage'>;

const CAP_NOUNS: Record<CountedCap, string> = {
  deployments: 'deployment',
  platformDomains: 'platform domain',
  customDomains: 'custom domain',
  seats: 'member',
};

/** Throws `forbidden`, with `details`, if `used` has reached the cap of the plan. Source: api §2, §6; security T26. */
export function refuseBeyondCap(core: Core, plan: string, cap: CountedCap, used: number): void {
  const limit = core.plans.get(plan).caps?.[cap];
  if (limit === undefined || used < limit) return;
  const allowed = `${limit} ${CAP_NOUNS[cap]}${limit === 1 ? '' : 's'}`;
  const message = `The plan allows ${allowed}, and the account has ${used}. Delete one or change the plan.`;
  throw new ServiceError('forbidden', message, { details: { cap, used, limit } });
}

/** Counts the domains of an account. Paused domains do not count. Source: api §6. */
export async function countDomains(em: EntityManager, account: string) {
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
