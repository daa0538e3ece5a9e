import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { Core } from '../../core.ts';
import { db } from '../../database/tables.ts';
import { ServiceError } from '../../errors.ts';
import { countDomains, refuseBeyondCap } from '../accounts/caps.ts';
import type { DomainName } from './domain-names.ts';

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
export async function requireDomainRoom(
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
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from domain
    where account_id = ${account} and status in ('pending', 'partial')`.execute(db(em));
  if (rows[0]!.count >= MAX_UNVERIFIED_DOMAINS)
    throw new ServiceError(
      'business_logic_error',
      `An account must have at most ${MAX_UNVERIFIED_DOMAINS.toLocaleString('en-US')} domains that are not verified: verify or delete one first.`,
      { details: { state: 'too_many_unverified_domains', limit: MAX_UNVERIFIED_DOMAINS } },
    );
}
