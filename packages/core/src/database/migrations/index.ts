import { Migration0001 } from './0001-foundation.ts';
import { Migration0002 } from './0002-documented-api.ts';

/** Every migration, oldest first. One that has landed is never edited. */
export const migrations = [Migration0001, Migration0002];
