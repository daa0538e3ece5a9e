import { ACCOUNT_STATES } from './account-states.ts';
import { SITE_STATES } from './site-states.ts';
import type { GalleryState } from './window.ts';

/** All gallery states of the console. */
export const STATES: readonly GalleryState[] = [...SITE_STATES, ...ACCOUNT_STATES];
