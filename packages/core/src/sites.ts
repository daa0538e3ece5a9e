/** What serving a site needs of the core: finding it, unlocking it, and its small contents in memory. */
export { createHotContents, type HotContents, SMALL_CONTENT_BYTES } from './services/sites/hot-contents.ts';
export { LiveSiteCache } from './services/sites/live-sites.ts';
export type { SiteLookup, LiveSites, SiteAddress, WithheldReason } from './services/sites/site-lookup.ts';
export { isUnlockCookieValid, createUnlockCookie, UNLOCK_SECONDS } from './services/sites/unlock-cookies.ts';
export { type UnlockAttempt, type UnlockOutcome, unlockSite } from './services/sites/unlock.ts';
