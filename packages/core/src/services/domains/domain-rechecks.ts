import { sql } from 'kysely';
import type { Core } from '../../core.ts';
import { db } from '../../database/tables.ts';
import { attemptTask } from '../worklist.ts';
import { isNotBeingChecked, checkDomain } from './domain-checks.ts';
import { MAX_SCHEDULE_MS } from './domain-schedule.ts';

/** The size of one run. */
export interface RecheckOptions {
  /** The maximum number of domains that are checked concurrently. Default: 16. */
  batch?: number;
  /** The maximum number of batches in a run. Default: 20. */
  batches?: number;
  /** Ends the run after the current batch. */
  signal?: AbortSignal;
}

/** How long a process has to finish a check that it claimed. Then another process may claim it. */
const LEASE_MS = 2 * 60_000;
const DAY_MS = 24 * 60 * 60_000;

/**
 * Checks the DNS of domains that are due: unverified ones after growing pauses, and once a day those that serve, or
 * would serve if they were not paused. Several processes can run this at once; each claims different domains.
 *
 * @returns How many domains were checked. Source: api §4; security T28.
 */
export async function recheckDomains(
  core: Core,
  { batch = 16, batches = 20, signal }: RecheckOptions = {},
): Promise<number> {
  let checkedCount = 0;
  for (let run = 0; run < batches && !signal?.aborted; run += 1) {
    const ids = await claimDue(core, batch);
    await Promise.all(
      ids.map((id) =>
        attemptTask(core, { task: 'check domains', domainId: id }, () =>
          checkDomain(core, id, { authMethod: 'system', asked: false }),
        ),
      ),
    );
    checkedCount += ids.length;
    if (ids.length < batch) break;
  }
  return checkedCount;
}

async function claimDue(core: Core, batch: number): Promise<number[]> {
  const now = core.now();
  const at = (ms: number) => new Date(now.getTime() + ms);
  // A next check later than any schedule, or a last check in the future, was written by a wrong clock.
  const { rows } = await sql<{ id: number }>`
    update domain set checked = ${now}, next_check = ${at(LEASE_MS)}
    where id in (
      select d.id from domain d join account a on a.id = d.account_id
      where d.kind = 'custom'
        and (d.next_check <= ${now} or d.next_check > ${at(2 * MAX_SCHEDULE_MS)}
          or (d.status = 'paused' and d.next_check is null
            and (coalesce(d.checked, d.created) <= ${at(-DAY_MS)} or d.checked > ${now})))
        and ${isNotBeingChecked(now)}
        and (d.verified is not null or (a.state = 'active' and d.status <> 'paused'))
      order by d.next_check limit ${batch} for update of d skip locked)
    returning id::float8 as id`.execute(db(core));
  return rows.map(({ id }) => id);
}
