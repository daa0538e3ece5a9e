// The database registers every entity that this file exports, and infers the types of its tables from these entities.
export * from './account.ts';
export * from './change.ts';
export * from './deployment.ts';
export * from './domain.ts';
export * from './idempotency-record.ts';
export * from './lease.ts';
export * from './pack.ts';
export * from './rate-bucket.ts';
export * from './sign-in.ts';
export * from './upload.ts';
export type { DomainStatus } from '@berth/contract';
