import { sql } from 'kysely';
import type { Core } from '../../core.ts';
import { applyDuePlanChanges } from '../accounts/plan-changes.ts';
import { sweep } from '../packs/sweep.ts';
import { type Check, finding } from './checks.ts';

/** What a running server has done long before. */
const LATE_MS = 10 * 60 * 1000;

interface Backlog {
  expired: number;
  uploads: number;
  changes: number;
  dead: number;
  uncompressed: number;
}

/** Looks for work that the jobs of a running server should have done. */
export const backlog: Check = {
  name: 'backlog',
  title: 'Work that is overdue',
  async *run(core, { fix, graceMs }) {
    const found = await look(core);
    const any = found.expired + found.uploads + found.changes + found.dead > 0;
    if (fix && any) {
      await sweep(core, { graceMs });
      await applyDuePlanChanges(core);
    }
    const left = fix && any ? await look(core) : found;
    if (found.expired > 0)
      yield finding('drift', `${found.expired} deployments expired and were not cleaned up. Does a server run?`, {
        fixed: left.expired < found.expired,
      });
    if (found.uploads > 0)
      yield finding('drift', `${found.uploads} uploads are over and were not cleaned up. Does a server run?`, {
        fixed: left.uploads < found.uploads,
      });
    if (found.changes > 0)
      yield finding('drift', `${found.changes} plan changes are due and did not take effect. Does a server run?`, {
        fixed: left.changes < found.changes,
      });
    if (found.uncompressed > 0)
      yield finding('advice', `${found.uncompressed} deployments wait to be compressed, for 10 minutes or more.`);
    if (found.dead > 0)
      yield finding('advice', `${found.dead} packs that nothing needs have not been removed yet.`, {
        fixed: left.dead < found.dead,
      });
  },
};

async function look(core: Core): Promise<Backlog> {
  const late = new Date(core.now().getTime() - LATE_MS);
  const { rows } = await sql<Backlog>`
    select (select count(*)::int from deployment where status = 'success' and expires <= ${late}) as expired,
      (select count(*)::int from upload where expires <= ${late}) as uploads,
      (select count(*)::int from plan_change where due <= ${late}) as changes,
      (select count(*)::int from deployment where status = 'success' and compress_at <= ${late}) as uncompressed,
      (select count(*)::int from pack where state = 'dead') as dead`.execute(core.database.kysely);
  return rows[0]!;
}
