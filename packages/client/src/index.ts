export * from './errors.ts';
export type * from './deploy/events.ts';
export type * from './folder/snapshot.ts';
