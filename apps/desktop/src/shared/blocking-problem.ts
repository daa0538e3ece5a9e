import type { FolderState } from './folder.ts';
import type { Problem } from './problem.ts';

/** The problem that the user must fix before the folder can be published; `null` without such a problem. */
export function blockingProblem(state: FolderState): Problem | null {
  return state.is === 'failed' || (state.is === 'waiting' && state.problem.kind === 'folder') ? state.problem : null;
}
