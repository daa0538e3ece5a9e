// The database registers every schema that this file exports, and infers the types of its tables from them.
export * from './account.ts';
export * from './deployment.ts';
export * from './domain.ts';
export * from './idempotency-record.ts';
export * from './pack.ts';
export * from './rate-bucket.ts';
export * from './upload.ts';
export type { DomainStatus } from '@berth/contract';
