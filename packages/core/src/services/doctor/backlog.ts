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
  return db(core)
    .selectNoFrom(({ selectFrom, fn }) => {
      const count = fn.countAll<number>().as('count');
      const published = selectFrom('deployment').select(count).where('status', '=', 'success');
      const uploads = selectFrom('upload').select(count).where('expires', '<=', late);
      const changes = selectFrom('plan_change').select(count).where('due', '<=', late);
      const dead = selectFrom('pack').select(count).where('state', '=', 'dead');
      return [
        published.where('expires', '<=', late).$asScalar().$notNull().as('expired'),
        uploads.$asScalar().$notNull().as('uploads'),
        changes.$asScalar().$notNull().as('changes'),
        published.where('compress_at', '<=', late).$asScalar().$notNull().as('uncompressed'),
        dead.$asScalar().$notNull().as('dead'),
      ];
    })
    .executeTakeFirstOrThrow();
}
