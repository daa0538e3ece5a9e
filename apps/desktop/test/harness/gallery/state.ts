import type { Page } from 'playwright-core';
import type { CommandName } from '../../../src/shared/channels.ts';
import type { AppState, Page as PageName } from '../../../src/shared/contract.ts';
import type { Script } from './fake-desktop.ts';

/** One thing that the window can be: what it knows, where it is, and what it then says. */
export interface GalleryState {
  /** Names its pictures. */
  name: string;
  /** What it is, in a few words, for the list of pictures. */
  about: string;
  /** What the app knows; a problem when it cannot say. */
  state: AppState | null;
  page: PageName;
  answers?: Partial<Record<CommandName | 'grant', Script>>;
  /** What somebody does before the picture is taken. */
  act?: (page: Page) => Promise<void>;
  /** Words that have to be on it. */
  says: readonly string[];
  /** Whether its pictures are kept with the documents. */
  kept?: boolean;
}
