import type { Page } from 'playwright-core';
import type { CommandName } from '../../../src/shared/channels.ts';
import type { AppState, Page as PageName } from '../../../src/shared/contract.ts';
import type { Script } from './fake-desktop.ts';

/** One state of the window: the app state, the page, and the texts that it then shows. */
export interface GalleryState {
  /** File name prefix of its screenshots. */
  name: string;
  /** A short description for the list of screenshots. */
  about: string;
  /** The app state; with `null`, reading it fails. */
  state: AppState | null;
  page: PageName;
  answers?: Partial<Record<CommandName | 'grant', Script>>;
  /** Actions of the user before the screenshot. */
  act?: (page: Page) => Promise<void>;
  /** Texts that must be shown. */
  shows: readonly string[];
  /** Whether its screenshots are kept with the documents. */
  kept?: boolean;
}
