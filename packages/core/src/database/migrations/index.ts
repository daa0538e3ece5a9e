import type { Migration } from '@mikro-orm/migrations';
import { Migration0001 } from './0001-foundation.ts';
import { Migration0002 } from './0002-documented-api.ts';
import { Migration0003 } from './0003-serving.ts';
import { Migration0004 } from './0004-uploads.ts';
import { Migration0005 } from './0005-storage.ts';
import { Migration0006 } from './0006-compatibility.ts';

/** A step from one schema to the next. Schemas are numbered as the migrations that lead to them. */
export interface MigrationClass {
  new (...parts: ConstructorParameters<typeof Migration>): Migration;
  /** `Migration` and the four digits of its number. */
  readonly name: string;
  /**
   * The oldest schema that a program has to know to work with this one: that of the oldest release that neither needs what
   * this migration takes away, nor writes what it forbids. Default: this very schema, so that no older program works with it.
   */
  readonly compatibleSince?: number;
}

/** Every migration, oldest first. One that has landed is never edited. */
export const migrations: readonly MigrationClass[] = [
  Migration0001,
  Migration0002,
  Migration0003,
  Migration0004,
  Migration0005,
  Migration0006,
];
