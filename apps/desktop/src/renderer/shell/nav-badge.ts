import type { FolderState } from '../../shared/folder.ts';
import type { Publishing } from '../../shared/publishing.ts';
import { blockingProblem } from '../../shared/blocking-problem.ts';

/** The badge of a page in the sidebar. `count` is the number of items with the highest severity; `text` counts all items. */
export interface NavBadge {
  /** The highest severity among the items, as in the tray icon. */
  is: 'failed' | 'waiting' | 'working';
  count: number;
  text: string;
}

type Publishings = readonly Pick<Publishing, 'id' | 'state'>[];

/** Counts the drops that have failed, have a question, or are being published. @param seen The ids of the failures to leave out. */
export function publishBadge(publishings: Publishings, seen: ReadonlySet<string>): NavBadge | null {
  return badgeOf([
    ['failed', publishings.filter(({ id, state }) => state.is === 'failed' && !seen.has(id)), 'failed'],
    ['waiting', publishings.filter(({ state }) => state.is === 'asking'), 'with a question'],
    [
      'working',
      publishings.filter(({ state }) => state.is === 'working' || state.is === 'building' || state.is === 'queued'),
      'being published',
    ],
  ]);
}

/** Counts the watched folders that have failed, have nothing to publish, or are being published. */
export function foldersBadge(folders: readonly { state: FolderState }[]): NavBadge | null {
  return badgeOf([
    ['failed', folders.filter(({ state }) => blockingProblem(state) !== null), 'failed'],
    ['waiting', folders.filter(({ state }) => state.is === 'missing'), 'with nothing to publish'],
    ['working', folders.filter(({ state }) => state.is === 'publishing' || state.is === 'building'), 'being published'],
  ]);
}

/**
 * Returns the ids of the failed drops that the user has seen. A drop that fails again after a retry counts as not
 * seen.
 *
 * @returns `before` if nothing has changed.
 */
export function seenFailures(
  before: ReadonlySet<string>,
  publishings: Publishings,
  isShown: boolean,
): ReadonlySet<string> {
  const failedIds = publishings.filter(({ state }) => state.is === 'failed').map(({ id }) => id);
  const seen = new Set(failedIds.filter((id) => isShown || before.has(id)));
  return seen.size === before.size && seen.isSubsetOf(before) ? before : seen;
}

type ItemsOfSeverity = readonly [is: NavBadge['is'], items: readonly unknown[], text: string];

/** Creates a badge from the items of each severity, the highest severity first. @returns `null` without items. */
function badgeOf(severities: readonly ItemsOfSeverity[]): NavBadge | null {
  const presentSeverities = severities.filter(([, items]) => items.length > 0);
  if (presentSeverities.length === 0) return null;
  const [is, { length: count }] = presentSeverities[0]!;
  return { is, count, text: presentSeverities.map(([, items, text]) => `${items.length} ${text}`).join(', ') };
}
