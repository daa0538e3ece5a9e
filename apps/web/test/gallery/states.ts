import { ACCOUNT_STATES } from './account-states.ts';
import { DROP_STATES } from './drop-states.ts';
import type { GalleryState } from './gallery.ts';
import { PEOPLE_STATES } from './people-states.ts';
import { SIGN_IN_STATES } from './sign-in-states.ts';
import { SITE_STATES } from './site-states.ts';

/** All states of the gallery. */
export const STATES: readonly GalleryState[] = [
  ...DROP_STATES,
  ...SITE_STATES,
  ...ACCOUNT_STATES,
  ...PEOPLE_STATES,
  ...SIGN_IN_STATES,
];

/** Finds a state by its name. @throws Error if there is no such state. */
export function stateNamed(name: string): GalleryState {
  const state = STATES.find((each) => each.name === name);
  if (state === undefined) throw new Error(`the gallery has no state "${name}"`);
  return state;
}
