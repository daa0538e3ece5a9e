/** The exports of the core for the other packages. */
export { createCompressor } from './compressor/compressor.ts';
export { type JsonBounds, meterJson, parseBoundedJson } from './bounded-json.ts';
export {
  type Addresses,
  type Caller,
  type Core,
  type Keys,
  type Log,
  RATE_LIMIT_NAMES,
  type RateLimit,
  type RateLimitName,
  type RateLimits,
  type Scope,
} from './core.ts';
export type { DatabaseAddress } from './database/connection-config.ts';
export { prepareDataFolder } from './database/data-folder.ts';
export { type Database, openDatabase } from './database/database.ts';
export { createDns } from './dns/dns.ts';
export { type EmbeddedPostgres, startEmbeddedPostgres } from './database/embedded-postgres.ts';
export { invalid, notFound, type ReachedLimit, ServiceError, unavailable } from './errors.ts';
export { armFailpoint, FAILPOINTS, type Failpoint } from './failpoints.ts';
export { ACCESS, type Actor, mayCall, type Operation, OTHERS } from './routers/access.ts';
export { type AppRouter, appRouter, createCaller } from './routers/app-router.ts';
export { fromIssues, toErrorBody, toServiceError, toTrpcError } from './routers/error-body.ts';
export { type Context, type Meta, refuseForeignPage } from './routers/trpc.ts';
export { actForAccount, addKey, getBilling, listAccounts, openAccount } from './services/accounts/account-directory.ts';
export { setAccountState } from './services/accounts/account-states.ts';
export { createAccount, ensureOwner, generateKey, getAccount } from './services/accounts/accounts.ts';
export { createActivityFeed } from './services/activities/activity-feed.ts';
export { authenticate } from './services/accounts/authentication.ts';
export { beat, randomBootId } from './services/packs/boots.ts';
export { compressDeployments } from './services/compression/compress-deployments.ts';
export { beginDeploy, type Deploy } from './services/deployments/deploy.ts';
export { takeDeployBudget } from './services/deployments/deploy-budget.ts';
export { fileTooLarge, maxParts, tooLarge } from './services/deployments/file-rules.ts';
export { doctor, type DoctorEvent } from './services/doctor/doctor.ts';
export { recheckDomains } from './services/domains/domain-rechecks.ts';
export {
  checkDomainSetup,
  type DomainSetup,
  findDomainSetup,
  type SetupRecord,
} from './services/domains/domain-setup.ts';
export { readIdempotencyKey } from './services/deployments/idempotency.ts';
export { createHotContents, type HotContents, SMALL_CONTENT_BYTES } from './services/sites/hot-contents.ts';
export { createLiveSites } from './services/sites/live-sites.ts';
export { addMember, listMembers, removeMember } from './services/accounts/members.ts';
export { applyDuePlanChanges, changePlan, type PlanChangeOutcome } from './services/accounts/plan-changes.ts';
export { createPlans, limitsOf } from './services/accounts/plans.ts';
export {
  DEFAULT_RATE_LIMITS,
  forgetFullBuckets,
  type RateLimitState,
  takeFrom,
  tooMany,
} from './services/rate-limits.ts';
export { DEFAULT_SWEEP, sweep, type SweepOptions } from './services/packs/sweep.ts';
export { setTakenDown } from './services/deployments/take-downs.ts';
export { createToken, deleteToken, listTokens } from './services/accounts/tokens.ts';
export { type ContentsBody, receiveContents } from './services/uploads/receive-contents.ts';
export { opens, sealUnlock, UNLOCK_SECONDS } from './services/sites/unlock-cookies.ts';
export { type UnlockAttempt, type UnlockOutcome, unlockSite } from './services/sites/unlock.ts';
export * from './serving/caching.ts';
export * from './serving/codings.ts';
export * from './serving/conditions.ts';
export * from './serving/intent.ts';
export * from './serving/media-types.ts';
export * from './serving/ranges.ts';
export * from './serving/request-path.ts';
export * from './serving/resolve.ts';
export type {
  Coding,
  CompressedForms,
  Found,
  LiveSites,
  Manifest,
  ProtectedSite,
  Site,
  SiteAddress,
  SiteFile,
  StoredBytes,
  Withheld,
} from './serving/site.ts';
export { compileRules } from './serving/rules/compile.ts';
export { NO_RULES, prepareRules } from './serving/rules/prepare.ts';
export type { HeaderField, RuledAnswer } from './serving/rules/rules.ts';
export { openDiskPacks } from './storage/disk-packs.ts';
export { createHasher } from './storage/hasher.ts';
export type { PackFile, PackStore, Place } from './storage/packs.ts';
