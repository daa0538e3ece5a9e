import type { FolderState } from './folder.ts';
import type { Problem } from './problem.ts';

/**
 * The problem that the user must fix before the folder can be published; `null` if nothing needs the user. The app may still
 * retry in the meantime.
 */
export function blockingProblem(state: FolderState): Problem | null {
  return state.is === 'failed' || (state.is === 'waiting' && state.problem.kind === 'folder') ? state.problem : null;
}
