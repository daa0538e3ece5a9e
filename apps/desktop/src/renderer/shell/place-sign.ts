import type { FolderState } from '../../shared/folder.ts';
import type { Publishing } from '../../shared/publishing.ts';
import { troubleOf } from '../../shared/trouble-of.ts';

/** What a page has to say while another one is shown: how it is meant, of how many, and all of it in words. */
export interface PlaceSign {
  /** As in the tray: an error wins over what waits for somebody, and that over work. */
  is: 'failed' | 'waiting' | 'working';
  count: number;
  words: string;
}

type Publishings = readonly Pick<Publishing, 'id' | 'state'>[];

/**
 * Tells what is under way among what was published: what failed and nobody has seen, what is asked, what is at work. Pure.
 *
 * @param seen The failures that somebody has seen, by their ids.
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

/** Tells what is under way in the watched folders: what failed, where nothing can be published, what is at work. Pure. */
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
 * The failures that somebody has seen by now. One that is tried again and fails once more is another one. Pure.
 *
 * @param isShown Whether they are on the page that is shown.
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
