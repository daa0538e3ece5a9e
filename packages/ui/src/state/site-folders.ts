import type { Site } from '@berth/contract';
import { createContext, use } from 'react';

/** The folder on this computer that a site is published from. */
export interface SiteFolder {
  name: string;
  path: string;
  /** True if the folder is published each time it changes. */
  isWatched: boolean;
  /** Publishes the folder now. */
  publish(): Promise<unknown>;
  /** Shows the folder in the file manager. */
  show(): void;
}

/** Finds the folder of a site; `null` if the site was published elsewhere. A browser knows no folders. */
export const SiteFoldersContext = createContext<(site: Site) => SiteFolder | null>(() => null);

export function useSiteFolder(site: Site): SiteFolder | null {
  return use(SiteFoldersContext)(site);
}
