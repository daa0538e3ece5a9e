import { ACCOUNT_STATES } from './account-states.ts';
import { DROP_WINDOW_STATES } from './drop-window-states.ts';
import { FOLDER_STATES } from './folder-states.ts';
import { PUBLISH_STATES } from './publish-states.ts';
import { SETTINGS_STATES } from './settings-states.ts';
import { WELCOME_STATES } from './welcome-states.ts';
import type { GalleryState } from './window.ts';

/** All gallery states. */
export const STATES: readonly GalleryState[] = [
  ...WELCOME_STATES,
  ...PUBLISH_STATES,
  ...FOLDER_STATES,
  ...ACCOUNT_STATES,
  ...SETTINGS_STATES,
  ...DROP_WINDOW_STATES,
];

/** Finds a gallery state by its name. @throws Error if there is no such state. */
export function stateNamed(name: string): GalleryState {
  const state = STATES.find((each) => each.name === name);
  if (state === undefined) throw new Error(`the gallery has no state "${name}"`);
  return state;
}
