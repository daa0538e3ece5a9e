import type { Caps } from '@berth/contract';
import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { Core } from '../../core.ts';
import { ServiceError } from '../../errors.ts';
import type { DomainName } from './domain-names.ts';

type DomainUsage = Pick<Caps, 'platformDomains' | 'customDomains'>;

const CAP_OF = { platform: 'platformDomains', custom: 'customDomains' } as const;
const WORDS = { platform: 'platform domains', custom: 'custom domains' };

/** How many domains an account holds. Paused ones are not counted. Source: contract §6. */
export async function countDomains(em: EntityManager, account: string): Promise<DomainUsage> {
  const { rows } = await sql<DomainUsage>`
    select (count(*) filter (where kind = 'platform'))::int as "platformDomains",
      (count(*) filter (where kind = 'custom'))::int as "customDomains"
    from domain where account_id = ${account} and status <> 'paused'`.execute(em.getKysely());
  return rows[0]!;
}

/**
 * Locks the account row until the transaction ends.
 *
 * @returns The plan it has now. @throws `forbidden` when it is no longer active. Source: security §5, L4.
 */
export async function lockActiveAccount(em: EntityManager, account: string): Promise<{ plan: string }> {
  const { rows } = await sql<{ plan: string; state: string }>`
    select plan, state from account where id = ${account} for update`.execute(em.getKysely());
  const row = rows[0];
  if (row?.state !== 'active') throw new ServiceError('forbidden', `This account is ${row?.state ?? 'gone'}.`);
  return row;
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
  const limit = core.plans.get(plan).caps?.[cap];
  if (limit === undefined) return;
  const used = (await countDomains(em, account))[cap];
  if (used >= limit)
    throw new ServiceError(
      'forbidden',
      `The plan holds ${limit} ${WORDS[kind]}, and the account has ${used}. Delete one, or change the plan.`,
      { details: { cap, used, limit } },
    );
}
