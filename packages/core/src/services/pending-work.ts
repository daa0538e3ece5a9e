import type { Core } from '../core.ts';
import { db } from '../database/tables.ts';

/** Counts the deployments that wait to be compressed, and the uploads that were begun and not committed. */
export async function countPendingWork(core: Core): Promise<{ compressions: number; uploads: number }> {
  const now = core.now();
  return db(core)
    .selectNoFrom(({ selectFrom, fn }) => {
      const count = fn.countAll<number>().as('count');
      const due = selectFrom('deployment')
        .select(count)
        .where('status', '=', 'success')
        .where('compress_at', '<=', now);
      const open = selectFrom('upload').select(count).where('committed', 'is', null).where('expires', '>', now);
      return [due.$asScalar().$notNull().as('compressions'), open.$asScalar().$notNull().as('uploads')];
    })
    .executeTakeFirstOrThrow();
}
