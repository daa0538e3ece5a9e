import { sql } from 'kysely';
import type { Core } from '../core.ts';
import { db } from '../database/tables.ts';

/** How long changes are kept after their transactions have ended, in milliseconds. A reader forgets everything after half of it. */
const KEPT_MS = 600_000;
const BATCH = 10_000;

/** A moment before which all transactions with smaller numbers had ended. */
interface Mark {
  oldestRunning: string;
  atMs: number;
}

/**
 * Returns a function that deletes the changes that every process has read, and that must be called regularly. It keeps the changes
 * of the last ten minutes. The age of a row says nothing, because its transaction may have committed much later.
 */
export function createChangeTrimmer(keptMs: number = KEPT_MS): (core: Core) => Promise<number> {
  const marks: Mark[] = [];
  return async (core) => {
    const atMs = performance.now();
    const { rows } = await sql<{ oldestRunning: string }>`
      select pg_snapshot_xmin(pg_current_snapshot())::text as "oldestRunning"`.execute(db(core));
    marks.push({ oldestRunning: rows[0]!.oldestRunning, atMs });
    let due: Mark | undefined;
    while (marks.length > 0 && marks[0]!.atMs <= atMs - keptMs) due = marks.shift();
    return due ? deleteChangesBefore(core, due) : 0;
  };
}

async function deleteChangesBefore(core: Core, { oldestRunning }: Mark): Promise<number> {
  for (let total = 0; ;) {
    const { numAffectedRows = 0n } = await sql`
      delete from change where (xid, kind, key) in (
        select xid, kind, key from change where xid < ${oldestRunning}::xid8 order by xid limit ${BATCH})`.execute(
      db(core),
    );
    total += Number(numAffectedRows);
    if (numAffectedRows < BATCH) return total;
  }
}
