import { sql } from 'kysely';
import type { Core } from '../core.ts';
import { db } from '../database/tables.ts';

type TaskResult<T> = { ok: true; value: T } | { ok: false; error: unknown };

/** Runs a background task. If it fails, logs the error with `about` and returns it, so that other tasks can run. */
export async function attemptTask<T>(
  { log }: Pick<Core, 'log'>,
  about: { task: string } & Readonly<Record<string, unknown>>,
  work: () => Promise<T>,
): Promise<TaskResult<T>> {
  try {
    return { ok: true, value: await work() };
  } catch (error) {
    log.warn({ err: error, ...about }, 'A background task failed and will be retried');
    return { ok: false, error };
  }
}

/** A kind of background work on items that are due. */
export interface Worklist<T> {
  /** The name of the work in the log, such as `expire deployments`. */
  task: string;
  /** Reads at most `limit` items that are due, the longest overdue first, without those of the groups in `skip`. */
  due(skip: readonly string[], limit: number): Promise<readonly T[]>;
  /** The group of an item. After a failure, a run skips all items of the group, such as the deployments of an account. */
  groupOf(item: T): string;
  idsOf(item: T): Readonly<Record<string, unknown>>;
  /** Processes an item. @returns False if another process has already done the work. */
  work(item: T): Promise<boolean>;
}

/** The limits of one run. */
export interface RunLimits {
  /** The maximum number of items that are processed. Failed items do not count. */
  limit: number;
  /** Ends the run after the current item. */
  signal?: AbortSignal | undefined;
}

/** A run stops after this many failed groups, because then the items are probably not the cause. */
const MAX_FAILED_GROUPS = 1_000;

/**
 * Processes the items that are due, one after the other. If an item fails, the error is logged and the run continues
 * without the group of this item. So failing items never block others, however many of them are due first.
 *
 * @returns How many items were processed.
 * @throws the errors of `due`; the error of an item if the database cannot be used.
 */
export async function runWorklist<T>(core: Core, list: Worklist<T>, { limit, signal }: RunLimits): Promise<number> {
  const failedGroups = new Set<string>();
  let processedCount = 0;
  for (;;) {
    const maxItems = limit - processedCount;
    const failedGroupsBefore = failedGroups.size;
    const items = await list.due([...failedGroups], maxItems);
    for (const item of items) {
      if (signal?.aborted || failedGroups.size >= MAX_FAILED_GROUPS) return processedCount;
      const group = list.groupOf(item);
      if (failedGroups.has(group)) continue;
      const outcome = await attemptTask(core, { task: list.task, ...list.idsOf(item) }, () => list.work(item));
      if (outcome.ok) processedCount += Number(outcome.value);
      else {
        await throwIfDatabaseAway(core, outcome.error);
        failedGroups.add(group);
      }
    }
    const isMoreDue = items.length === maxItems && processedCount < limit && failedGroups.size > failedGroupsBefore;
    if (!isMoreDue) return processedCount;
  }
}

/** @throws `error` if the database cannot be used, because all other work would fail as well. */
export async function throwIfDatabaseAway(core: Core, error: unknown): Promise<void> {
  try {
    await sql`select 1`.execute(db(core));
  } catch {
    throw error;
  }
}
