import { sql } from 'kysely';
import type { Core } from '../../core.ts';
import { attempt } from '../work-through.ts';
import { isFree, lookAtDomain } from './domain-checks.ts';
import { LONGEST_SCHEDULE_MS } from './domain-schedule.ts';

/** How much one run looks at. */
export interface RecheckOptions {
  /** Most domains that are looked at side by side. Default 16. */
  batch?: number;
  /** Most batches of a run. Default 20. */
  batches?: number;
  /** Ends the run after the batch at hand. */
  signal?: AbortSignal;
}

/** How long a process has for a look that it took on; then another one may. */
const LEASE_MS = 2 * 60_000;
const DAY_MS = 24 * 60 * 60_000;

/**
 * Looks at the DNS of domains whose time has come: those that are waited for, after growing pauses, and each day those that
 * serve, or would if they were not paused. Any number of processes may run it: each takes other domains.
 *
 * @returns How many domains were looked at. Source: contract §4; security T28.
 */
export async function recheckDomains(
  core: Core,
  { batch = 16, batches = 20, signal }: RecheckOptions = {},
): Promise<number> {
  let looked = 0;
  for (let run = 0; run < batches && !signal?.aborted; run += 1) {
    const ids = await claimDue(core, batch);
    await Promise.all(
      ids.map((id) =>
        attempt(core, { task: 'check domains', domainId: id }, () =>
          lookAtDomain(core, id, { authMethod: 'system', asked: false }),
        ),
      ),
    );
    looked += ids.length;
    if (ids.length < batch) break;
  }
  return looked;
}

async function claimDue(core: Core, batch: number): Promise<number[]> {
  const now = core.now();
  const at = (ms: number) => new Date(now.getTime() + ms);
  // A next check beyond every schedule, or a last check ahead of now, was written by a clock that was wrong.
  const { rows } = await sql<{ id: number }>`
    update domain set checked = ${now}, next_check = ${at(LEASE_MS)}
    where id in (
      select d.id from domain d join account a on a.id = d.account_id
      where d.kind = 'custom'
        and (d.next_check <= ${now} or d.next_check > ${at(2 * LONGEST_SCHEDULE_MS)}
          or (d.status = 'paused' and d.next_check is null
            and (coalesce(d.checked, d.created) <= ${at(-DAY_MS)} or d.checked > ${now})))
        and ${isFree(now)}
        and (d.verified is not null or (a.state = 'active' and d.status <> 'paused'))
      order by d.next_check limit ${batch} for update of d skip locked)
    returning id::float8 as id`.execute(core.database.kysely);
  return rows.map(({ id }) => id);
}
