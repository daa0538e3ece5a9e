/** What serving a site needs of the core: finding it, unlocking it, and its small contents in memory. */
export { createHotContents, type HotContents, SMALL_CONTENT_BYTES } from './services/sites/hot-contents.ts';
export { LiveSiteCache, type LiveSites } from './services/sites/live-sites.ts';
export type { SiteAddress, SiteLookup, WithheldReason } from './services/sites/load-sites.ts';
export { isUnlockCookieValid, createUnlockCookie, UNLOCK_SECONDS } from './services/sites/unlock-cookies.ts';
export { type UnlockAttempt, type UnlockOutcome, unlockSite } from './services/sites/unlock.ts';
