/** What a server does at intervals, whether or not there are requests. */
export { createCompressor } from './compressor/compressor.ts';
export { applyDuePlanChanges } from './services/accounts/plan-changes.ts';
export { compressDeployments } from './services/compression/compress-deployments.ts';
export { recheckDomains } from './services/domains/domain-rechecks.ts';
export { DEFAULT_SWEEP, sweep, type SweepOptions } from './services/packs/sweep.ts';
export { forgetFullBuckets } from './services/rate-limits.ts';
