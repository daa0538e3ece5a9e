/** The functions that open the core, and the functions that the API calls. */
export { type JsonBounds, meterJson, parseBoundedJson } from './bounded-json.ts';
export { clientOf } from './core.ts';
export type {
  Addresses,
  Browser,
  Caller,
  SignInSettings,
  Core,
  Keys,
  Log,
  RateLimit,
  RateLimitName,
  RateLimits,
  Scope,
} from './core.ts';
export type { DatabaseAddress } from './database/sessions.ts';
export { prepareDataFolder } from './database/data-folder.ts';
export { type Database, openDatabase } from './database/database.ts';
export { type EmbeddedPostgres, startEmbeddedPostgres } from './database/embedded-postgres.ts';
export { createDns } from './dns/dns.ts';
export { invalid, invalidFile, notFound, type ReachedLimit, ServiceError, unavailable } from './errors.ts';
export { armFailpoint } from './failpoints.ts';
export { inFairTurn, isTurnOver, ownTurn } from './fair-turns.ts';
export { type Actor, mayCall, type Operation, FOREIGN_RESOURCE_ACCESS } from './routers/access.ts';
export { appRouter, createCaller } from './routers/app-router.ts';
export { toErrorBody, toServiceError, toTrpcError } from './routers/error-body.ts';
export {
  EVENT_PING_MS,
  EVENT_RETRY_MS,
  type ProcedureContext,
  type ProcedureMeta,
  refuseForeignPage,
  requireAccount,
  requireActor,
} from './routers/trpc.ts';
export { ensureOwner } from './services/accounts/accounts.ts';
export { admit, type Admission } from './services/admission.ts';
export { authenticate } from './services/authentication.ts';
export { createMailer } from './mail/mailer.ts';
export { beginOidc, finishOidc } from './services/sign-in/oidc-sign-in.ts';
export { createOidcProvider } from './oidc/provider.ts';
export { createOwnerLink, ownerNeedsLink } from './services/sign-in/links.ts';
export { PROOF_COOKIE_SECONDS } from './services/sign-in/proofs.ts';
export { SESSION_COOKIE_SECONDS } from './services/sign-in/sessions.ts';
export { createPlans, limitsOf } from './services/accounts/plans.ts';
export { hasAccounts } from './services/backup/restore.ts';
export { createActivityFeed } from './services/activities/activity-feed.ts';
export { readClaimedSite } from './services/deployments/claims.ts';
export { takeDeployBudget } from './services/deployments/deploy-budget.ts';
export type { LeftOutKind } from './services/deployments/archive-files.ts';
export { countDeploy } from './services/deployments/count-deploy.ts';
export { type ArchiveDeploy, beginArchiveDeploy, beginDeploy, type Deploy } from './services/deployments/deploy.ts';
export { type Download, openDownload } from './services/deployments/download.ts';
export { maxFileParts, payloadTooLarge, toPrintableName } from './services/deployments/file-rules.ts';
export { type IdempotencyKey, readIdempotencyKey } from './services/deployments/idempotency.ts';
export { checkDomainSetup, findDomainSetup } from './services/domains/domain-setup.ts';
export type { DomainSetup, SetupRecord } from './services/domains/domain-setup.ts';
export { countPendingWork } from './services/pending-work.ts';
export { beginDeviceGrant, redeemDeviceGrant } from './services/sign-in/device-grants.ts';
export { runQueued } from './services/run-queued.ts';
export { recordHeartbeat, newBootId } from './services/sweep/sweep.ts';
export { DEFAULT_RATE_LIMITS, RATE_LIMIT_NAMES } from './services/rate-limits.ts';
export { type ContentsBody, receiveContents } from './services/uploads/receive-contents.ts';
export { streamContent } from './services/packs/moved-contents.ts';
export { requireOwnStore, requireUnusedStore } from './services/packs/own-store.ts';
export { openDiskPacks } from './storage/disk-packs.ts';
export { parseS3Address, type S3Address } from './storage/s3/address.ts';
export type { S3Credentials } from './storage/s3/bucket.ts';
export type { StoreMarker } from './storage/s3/store-marker.ts';
export { createHasher } from './storage/hasher.ts';
export { createRuleCompiler } from './rule-compiler/rule-compiler.ts';
export type { PackStore } from './storage/packs.ts';
export { openUnnamedFile } from './storage/unnamed-file.ts';
export { type RequestSpan, type SpanAttributes, type Tracer, UNTRACED } from './tracing.ts';
