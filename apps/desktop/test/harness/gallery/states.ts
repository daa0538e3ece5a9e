import { ACCOUNT_STATES } from './account-states.ts';
import { FOLDER_STATES } from './folder-states.ts';
import { PUBLISH_STATES } from './publish-states.ts';
import { SETTINGS_STATES } from './settings-states.ts';
import type { GalleryState } from './window.ts';

/** All states of the window. */
export const STATES: readonly GalleryState[] = [
  ...PUBLISH_STATES,
  ...FOLDER_STATES,
  ...ACCOUNT_STATES,
  ...SETTINGS_STATES,
];

/** @throws Error if there is no state with this name. */
export function stateNamed(name: string): GalleryState {
  const state = STATES.find((each) => each.name === name);
  if (state === undefined) throw new Error(`there is no state "${name}"`);
  return state;
}
