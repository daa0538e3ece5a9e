import type { Caps } from '@berth/contract';
import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { Core } from '../../core.ts';
import { refuseBeyondCap } from '../accounts/caps.ts';
import type { DomainName } from './domain-names.ts';

type DomainUsage = Pick<Caps, 'platformDomains' | 'customDomains'>;

const CAP_OF = { platform: 'platformDomains', custom: 'customDomains' } as const;

/** How many domains an account holds. Paused ones are not counted. Source: contract §6. */
export async function countDomains(em: EntityManager, account: string): Promise<DomainUsage> {
  const { rows } = await sql<DomainUsage>`
    select (count(*) filter (where kind = 'platform'))::int as "platformDomains",
      (count(*) filter (where kind = 'custom'))::int as "customDomains"
    from domain where account_id = ${account} and status <> 'paused'`.execute(em.getKysely());
  return rows[0]!;
}

/**
 * Sees to it that an account may have one more domain. The caller holds the lock of the account row, so that parallel
 * requests never pass a cap.
 *
 * @throws `forbidden`, with `details`, at the cap of the plan. Source: contract §6; security T26.
 */
export async function requireDomainRoom(
  em: EntityManager,
  core: Core,
  { account, plan }: { account: string; plan: string },
  kind: DomainName['kind'],
): Promise<void> {
  const cap = CAP_OF[kind];
  refuseBeyondCap(core, plan, cap, (await countDomains(em, account))[cap]);
}
