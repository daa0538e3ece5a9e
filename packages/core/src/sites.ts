/** The functions with which the site host finds a site, unlocks it, and keeps its small contents in memory. */
export { createHotContents, type HotContents, SMALL_CONTENT_BYTES } from './services/sites/hot-contents.ts';
export { LiveSiteCache, type LiveSites } from './services/sites/live-sites.ts';
export type { SiteAddress, SiteLookup, WithheldReason } from './services/sites/load-sites.ts';
export {
  createUnlockCookie,
  isUnlockCookieValid,
  UNLOCK_SECONDS,
  type UnlockAttempt,
  type UnlockOutcome,
  unlockSite,
} from './services/sites/unlock.ts';
