/** The functions with which hosts find a site, unlock it, keep its small contents in memory, and know its names. */
export { VerifiedNames } from './services/domains/verified-names.ts';
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
