import { Migration0001 } from './0001-foundation.ts';
import { Migration0002 } from './0002-documented-api.ts';
import { Migration0003 } from './0003-serving.ts';
import { Migration0004 } from './0004-uploads.ts';
import { Migration0005 } from './0005-storage.ts';

/** Every migration, oldest first. One that has landed is never edited. */
export const migrations = [Migration0001, Migration0002, Migration0003, Migration0004, Migration0005];
