import type { FolderState } from './folder.ts';
import type { Problem } from './problem.ts';

/** Why a folder is not published until somebody sees to it; it may be tried again all the same. `null` while nobody has to. */
export function troubleOf(state: FolderState): Problem | null {
  return state.is === 'failed' || (state.is === 'waiting' && state.problem.kind === 'folder') ? state.problem : null;
}
