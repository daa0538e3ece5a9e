import type { FolderState } from '../../shared/folder.ts';
import type { Publishing } from '../../shared/publishing.ts';
import { blockingProblem } from '../../shared/blocking-problem.ts';

/** The badge of a page in the sidebar: its severity, the number of items of this severity, and a text that counts all items. */
export interface NavBadge {
  /** The highest severity, as in the tray: a failure, then an item that waits for the user, then work. */
  is: 'failed' | 'waiting' | 'working';
  count: number;
  text: string;
}

type Publishings = readonly Pick<Publishing, 'id' | 'state'>[];

/**
 * Counts the drops that failed and were not seen, have a question, or are being published. Pure.
 *
 * @param seen Ids of the failures that the user has seen.
 */
export function publishBadge(publishings: Publishings, seen: ReadonlySet<string>): NavBadge | null {
  const failed = publishings.filter(({ id, state }) => state.is === 'failed' && !seen.has(id)).length;
  const asking = publishings.filter(({ state }) => state.is === 'asking').length;
  const working = publishings.filter(({ state }) => state.is === 'working' || state.is === 'queued').length;
  return highestBadge([
    ['failed', failed, `${failed} failed`],
    ['waiting', asking, `${asking} with a question`],
    ['working', working, `${working} being published`],
  ]);
}

/** Counts the watched folders that failed, cannot be published, or are being published. Pure. */
export function foldersBadge(folders: readonly { state: FolderState }[]): NavBadge | null {
  const failed = folders.filter(({ state }) => blockingProblem(state) !== null).length;
  const missing = folders.filter(({ state }) => state.is === 'missing').length;
  const working = folders.filter(({ state }) => state.is === 'publishing').length;
  return highestBadge([
    ['failed', failed, `${failed} failed`],
    ['waiting', missing, `${missing} with nothing to publish`],
    ['working', working, `${working} being published`],
  ]);
}

/**
 * Returns the ids of the failures that the user has seen. A drop that is retried and fails again counts as a new failure. Pure.
 *
 * @param isShown Whether the page that lists them is shown.
 */
export function seenFailures(
  before: ReadonlySet<string>,
  publishings: Publishings,
  isShown: boolean,
): ReadonlySet<string> {
  const failed = publishings.filter(({ state }) => state.is === 'failed').map(({ id }) => id);
  return new Set(failed.filter((id) => isShown || before.has(id)));
}

function highestBadge(parts: readonly (readonly [is: NavBadge['is'], count: number, text: string])[]): NavBadge | null {
  const present = parts.filter(([, count]) => count > 0);
  const [first] = present;
  if (!first) return null;
  const [is, count] = first;
  return { is, count, text: present.map(([, , text]) => text).join(', ') };
}
