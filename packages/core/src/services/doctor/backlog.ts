import { sql } from 'kysely';
import type { Core } from '../../core.ts';
import { db } from '../../database/tables.ts';
import { applyDuePlanChanges } from '../plan-changes/plan-changes.ts';
import { sweep } from '../sweep/sweep.ts';
import { type Check, finding } from './checks.ts';

/** A running server does this work much earlier. */
const OVERDUE_MS = 10 * 60 * 1000;

interface Backlog {
  expired: number;
  uploads: number;
  changes: number;
  dead: number;
  uncompressed: number;
}

/** Finds work that the background jobs of a running server should have done. */
export const backlog: Check = {
  name: 'backlog',
  title: 'Overdue work',
  async *run(core, { fix, graceMs }) {
    const found = await countOverdue(core);
    const any = found.expired + found.uploads + found.changes + found.dead > 0;
    if (fix && any) {
      await sweep(core, { graceMs });
      await applyDuePlanChanges(core);
    }
    const left = fix && any ? await countOverdue(core) : found;
    if (found.expired > 0)
      yield finding(
        'drift',
        `${found.expired} deployments have expired but were not removed. Check that a server is running.`,
        {
          fixed: left.expired < found.expired,
        },
      );
    if (found.uploads > 0)
      yield finding(
        'drift',
        `${found.uploads} uploads have expired but were not removed. Check that a server is running.`,
        {
          fixed: left.uploads < found.uploads,
        },
      );
    if (found.changes > 0)
      yield finding(
        'drift',
        `${found.changes} plan changes are due but did not take effect. Check that a server is running.`,
        {
          fixed: left.changes < found.changes,
        },
      );
    if (found.uncompressed > 0)
      yield finding(
        'advice',
        `${found.uncompressed} deployments have been waiting to be compressed for 10 minutes or more.`,
      );
    if (found.dead > 0)
      yield finding('advice', `${found.dead} unused packs have not been removed yet.`, {
        fixed: left.dead < found.dead,
      });
  },
};

async function countOverdue(core: Core): Promise<Backlog> {
  const late = new Date(core.now().getTime() - OVERDUE_MS);
  const { rows } = await sql<Backlog>`
    select (select count(*)::int from deployment where status = 'success' and expires <= ${late}) as expired,
      (select count(*)::int from upload where expires <= ${late}) as uploads,
      (select count(*)::int from plan_change where due <= ${late}) as changes,
      (select count(*)::int from deployment where status = 'success' and compress_at <= ${late}) as uncompressed,
      (select count(*)::int from pack where state = 'dead') as dead`.execute(db(core));
  return rows[0]!;
}
