import { sql } from 'kysely';
import type { Core } from '../core.ts';
import { db } from '../database/tables.ts';

type TaskResult<T> = { ok: true; value: T } | { ok: false; error: unknown };

/**
 * Runs one piece of background work. A failure is logged, so that the caller can continue with the next piece.
 *
 * @param about Describes the work in the log: `task`, and the ids of the item.
 */
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

/** Background work on items that are due. */
export interface Worklist<T> {
  /** The name of the work in the log, such as `expire deployments`. */
  task: string;
  /**
   * Reads the items that are due, the longest overdue first.
   *
   * @param skip The groups to leave out.
   * @param limit The maximum number of items.
   */
  due(skip: readonly string[], limit: number): Promise<readonly T[]>;
  /** The group of an item. Items of one group fail together, such as the deployments of a locked account. */
  groupOf(item: T): string;
  /** The ids of an item, for the log. */
  idsOf(item: T): Readonly<Record<string, unknown>>;
  /** @returns False if there was nothing left to do because another process was first. */
  work(item: T): Promise<boolean>;
}

/** The limits of one run. */
export interface RunLimits {
  /** The maximum number of items that are processed. Failed ones do not count. */
  limit: number;
  /** Ends the run after the current item. */
  signal?: AbortSignal | undefined;
}

/** A run ends after this many failed groups: the cause is then not in the items. */
const MAX_FAILED_GROUPS = 1_000;

/**
 * Processes the items that are due, one after the other. An item that fails is logged, its group is skipped for the
 * rest of the run, and the run continues. So failing items never block others, however many of them are due first.
 *
 * @returns How many items were processed.
 * @throws the errors of `due`, and the error of an item if the database cannot be used.
 */
export async function runWorklist<T>(core: Core, list: Worklist<T>, { limit, signal }: RunLimits): Promise<number> {
  const failed = new Set<string>();
  let done = 0;
  for (;;) {
    const maxItems = limit - done;
    const failedBefore = failed.size;
    const items = await list.due([...failed], maxItems);
    for (const item of items) {
      if (signal?.aborted || failed.size >= MAX_FAILED_GROUPS) return done;
      const group = list.groupOf(item);
      if (failed.has(group)) continue;
      const outcome = await attemptTask(core, { task: list.task, ...list.idsOf(item) }, () => list.work(item));
      if (outcome.ok) done += Number(outcome.value);
      else {
        await throwIfDatabaseAway(core, outcome.error);
        failed.add(group);
      }
    }
    const isMoreDue = items.length === maxItems && done < limit && failed.size > failedBefore;
    if (!isMoreDue) return done;
  }
}

/** @throws the error if the database cannot be used: all other work would fail as well. */
export async function throwIfDatabaseAway(core: Core, error: unknown): Promise<void> {
  const isAway = await sql`select 1`.execute(db(core)).then(
    () => false,
    () => true,
  );
  if (isAway) throw error;
}
