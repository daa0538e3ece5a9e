import type { FolderState } from '../../shared/folder.ts';
import type { Publishing } from '../../shared/publishing.ts';
import { troubleOf } from '../../shared/trouble-of.ts';

/** The badge of a page in the sidebar: its severity, the number of items of this severity, and a text that counts all items. */
export interface PlaceSign {
  /** The highest severity, as in the tray: a failure, then an item that waits for the user, then work. */
  is: 'failed' | 'waiting' | 'working';
  count: number;
  words: string;
}

type Publishings = readonly Pick<Publishing, 'id' | 'state'>[];

/**
 * Counts the drops that failed and were not seen, have a question, or are being published. Pure.
 *
 * @param seen Ids of the failures that the user has seen.
 */
export function publishSign(publishings: Publishings, seen: ReadonlySet<string>): PlaceSign | null {
  const failed = publishings.filter(({ id, state }) => state.is === 'failed' && !seen.has(id)).length;
  const asking = publishings.filter(({ state }) => state.is === 'asking').length;
  const working = publishings.filter(({ state }) => state.is === 'working' || state.is === 'queued').length;
  return signOf([
    ['failed', failed, `${failed} failed`],
    ['waiting', asking, `${asking} with a question`],
    ['working', working, `${working} being published`],
  ]);
}

/** Counts the watched folders that failed, cannot be published, or are being published. Pure. */
export function folderSign(folders: readonly { state: FolderState }[]): PlaceSign | null {
  const failed = folders.filter(({ state }) => troubleOf(state) !== null).length;
  const missing = folders.filter(({ state }) => state.is === 'missing').length;
  const working = folders.filter(({ state }) => state.is === 'publishing').length;
  return signOf([
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

function signOf(parts: readonly (readonly [is: PlaceSign['is'], count: number, words: string])[]): PlaceSign | null {
  const there = parts.filter(([, count]) => count > 0);
  const [first] = there;
  if (!first) return null;
  const [is, count] = first;
  return { is, count, words: there.map(([, , words]) => words).join(', ') };
}
