import type { Core } from '../../core.ts';
import { db } from '../../database/tables.ts';
import { applyDuePlanChanges } from '../plan-changes/plan-changes.ts';
import { sweep } from '../sweep/sweep.ts';
import { type Check, finding } from './checks.ts';

/** Work that is due for this long is reported: a running server does it much earlier. */
const OVERDUE_MS = 10 * 60 * 1000;

const FINDINGS = [
  ['expired', 'drift', 'deployments have expired but were not removed. Check that a server is running.'],
  ['uploads', 'drift', 'uploads have expired but were not removed. Check that a server is running.'],
  ['changes', 'drift', 'plan changes are due but did not take effect. Check that a server is running.'],
  ['uncompressed', 'advice', 'deployments have been waiting to be compressed for 10 minutes or more.'],
  [
    'candidates',
    'advice',
    'packs of which little may be needed have been waiting to be examined for 10 minutes or more.',
  ],
  ['dead', 'advice', 'unused packs have not been removed yet.'],
] as const;

/** Finds work that the background jobs of a running server should have done. */
export const backlog: Check = {
  name: 'backlog',
  title: 'Overdue work',
  async *run(core, { fix, graceMs }) {
    const overdueCount = await countOverdue(core);
    const isFixable = Object.entries(overdueCount).some(([work, count]) => work !== 'uncompressed' && count > 0);
    if (fix && isFixable) {
      await sweep(core, { graceMs });
      await applyDuePlanChanges(core);
    }
    const remainingCount = fix && isFixable ? await countOverdue(core) : overdueCount;
    for (const [work, severity, text] of FINDINGS)
      if (overdueCount[work] > 0)
        yield finding(severity, `${overdueCount[work]} ${text}`, {
          fixed: work !== 'uncompressed' && remainingCount[work] < overdueCount[work],
        });
  },
};

async function countOverdue(core: Core) {
  const overdueBefore = new Date(core.now().getTime() - OVERDUE_MS);
  return db(core)
    .selectNoFrom(({ selectFrom, fn }) => {
      const count = fn.countAll<number>().as('count');
      const published = selectFrom('deployment').select(count).where('status', '=', 'success');
      const uploads = selectFrom('upload').select(count).where('expires', '<=', overdueBefore);
      const changes = selectFrom('plan_change').select(count).where('due', '<=', overdueBefore);
      const candidates = selectFrom('compaction_candidate').select(count).where('due', '<=', overdueBefore);
      const deadPacks = selectFrom('pack').select(count).where('state', '=', 'dead');
      return [
        published.where('expires', '<=', overdueBefore).$asScalar().$notNull().as('expired'),
        uploads.$asScalar().$notNull().as('uploads'),
        changes.$asScalar().$notNull().as('changes'),
        published.where('compress_at', '<=', overdueBefore).$asScalar().$notNull().as('uncompressed'),
        candidates.$asScalar().$notNull().as('candidates'),
        deadPacks.$asScalar().$notNull().as('dead'),
      ];
    })
    .executeTakeFirstOrThrow();
}
