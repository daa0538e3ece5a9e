import { createClient, deployFolder, planFolder, watchFolder } from '@berth/client';
import open from 'open';

/** The functions that the commands use. Tests replace them to produce rare events. */
export const PARTS = {
  createClient,
  deployFolder,
  planFolder,
  watchFolder,
  /** Opens a page in the browser of the user. */
  openPage: async (url: string): Promise<void> => void (await open(url)),
};
export type Parts = typeof PARTS;
