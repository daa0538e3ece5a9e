import open from 'open';
import { type BerthClient, type ClientOptions, createClient } from '../client.ts';
import { deployFolder } from '../deploy/deploy-folder.ts';
import { planFolder } from '../deploy/plan-folder.ts';
import { watchFolder } from '../watch/watch-folder.ts';

/** The engine behind the command line. Tests give their own, to show what it does with events that are hard to cause. */
export interface Parts {
  createClient(options: ClientOptions): BerthClient;
  deployFolder: typeof deployFolder;
  planFolder: typeof planFolder;
  watchFolder: typeof watchFolder;
  /** Shows a page in the browser of the person who typed the command. */
  openPage(url: string): Promise<void>;
}

/** The real ones. */
export const PARTS: Parts = {
  createClient,
  deployFolder,
  planFolder,
  watchFolder,
  openPage: async (url) => void (await open(url)),
};
