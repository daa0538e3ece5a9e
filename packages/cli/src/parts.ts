import {
  type BerthClient,
  type ClientOptions,
  createClient,
  deployFolder,
  planFolder,
  watchFolder,
} from '@berth/client';
import open from 'open';

/** The functions that the commands use. Tests replace them to produce rare events. */
export interface Parts {
  createClient(options: ClientOptions): BerthClient;
  deployFolder: typeof deployFolder;
  planFolder: typeof planFolder;
  watchFolder: typeof watchFolder;
  /** Opens a page in the browser of the user. */
  openPage(url: string): Promise<void>;
}

/** The real functions. */
export const PARTS: Parts = {
  createClient,
  deployFolder,
  planFolder,
  watchFolder,
  openPage: async (url) => void (await open(url)),
};
