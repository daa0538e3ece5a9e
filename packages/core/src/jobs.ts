/** The work that a server does at intervals. */
export { createCompressor } from './compressor/compressor.ts';
export { applyDuePlanChanges } from './services/plan-changes/plan-changes.ts';
export { createChangeTrimmer } from './services/changes.ts';
export { compressDeployments } from './services/compression/compress-deployments.ts';
export { readFrontPages } from './services/front-pages/read-front-pages.ts';
export { recheckDomains } from './services/domains/domain-checks.ts';
export { type HeldLease, LeaseLostError, takeLease } from './services/lease.ts';
export { DEFAULT_SWEEP, removeOwnAbandonedPacks, sweep, type SweepOptions } from './services/sweep/sweep.ts';
export { deleteExpiredSignIns } from './services/sign-in/proofs.ts';
export { deleteFullBuckets } from './services/rate-limits.ts';
