import type { AuthMethod } from '@berth/contract';
import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { Core } from '../../core.ts';
import { db } from '../../database/tables.ts';
import type { DomainStatus } from '../../entities/index.ts';
import { recordActivity } from '../activities/activities.ts';

/** The custom domains that a plan change paused and resumed, by name. */
export interface PausedAndResumedDomains {
  paused: string[];
  resumed: string[];
}

interface DomainRow {
  id: number;
  name: string;
  status: DomainStatus;
}

/**
 * Fits the custom domains of an account to the cap of a plan: pauses those beyond the cap, newest first, or resumes
 * paused ones up to the cap, oldest first. Nothing is deleted. Platform domains and deployments beyond their caps stay
 * unchanged.
 *
 * Runs in the caller's transaction, which must hold the lock of the account. A resumed domain serves at once if it was
 * proved before; otherwise it waits for its DNS like a new one. In both cases its DNS is checked soon.
 *
 * Source: api §4, §6.
 */
export async function pauseOrResumeDomains(
  em: EntityManager,
  core: Core,
  { account, plan, authMethod }: { account: string; plan: string; authMethod: AuthMethod },
): Promise<PausedAndResumedDomains> {
  const cap = core.plans.get(plan).caps?.customDomains ?? Infinity;
  const { rows } = await sql<DomainRow>`
    with locked as materialized (
      select id, name, status, created from domain
      where account_id = ${account} and kind = 'custom' order by name, id for update)
    select id::float8 as id, name, status from locked order by created, id`.execute(db(em));
  const active = rows.filter(({ status }) => status !== 'paused');
  const paused = active.slice(Math.min(cap, active.length)).toReversed();
  const room = cap - active.length;
  const resumed = room > 0 ? rows.filter(({ status }) => status === 'paused').slice(0, room) : [];
  const created = core.now();
  await sql`update domain set status = 'paused', next_check = null where id = any(${idsOf(paused)}::bigint[])`.execute(
    db(em),
  );
  await sql`
    update domain set next_check = ${created},
      status = case when verified is null then 'pending' else 'success' end,
      misses = case when verified is null then 0 else misses end,
      missing = case when verified is null then ${created} else missing end
    where id = any(${idsOf(resumed)}::bigint[])`.execute(db(em));
  for (const [event, changed] of [
    ['domain.pause', paused],
    ['domain.resume', resumed],
  ] as const)
    for (const { name } of changed)
      recordActivity(em, { account, event, authMethod, created, domain: name, meta: { plan } });
  return { paused: paused.map(({ name }) => name), resumed: resumed.map(({ name }) => name) };
}

function idsOf(rows: readonly DomainRow[]): number[] {
  return rows.map(({ id }) => id);
}
