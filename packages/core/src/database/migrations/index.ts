import { Migration0001 } from './0001-foundation.ts';

/** Every migration, oldest first. One that has landed is never edited. */
export const migrations = [Migration0001];
