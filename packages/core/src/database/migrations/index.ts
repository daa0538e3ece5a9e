import type { Migration } from '@mikro-orm/migrations';
import { Migration0001 } from './0001-foundation.ts';
import { Migration0002 } from './0002-documented-api.ts';
import { Migration0003 } from './0003-serving.ts';
import { Migration0004 } from './0004-uploads.ts';
import { Migration0005 } from './0005-storage.ts';
import { Migration0006 } from './0006-compatibility.ts';
import { Migration0007 } from './0007-domain-versions.ts';
import { Migration0008 } from './0008-deploys-to-domains.ts';
import { Migration0009 } from './0009-take-down-reasons.ts';
import { Migration0010 } from './0010-migration-versions.ts';
import { Migration0011 } from './0011-sign-in.ts';
import { Migration0012 } from './0012-member-persons.ts';
import { Migration0013 } from './0013-token-persons.ts';
import { Migration0014 } from './0014-sites.ts';
import { Migration0015 } from './0015-site-indexes.ts';
import { Migration0016 } from './0016-identity-emails.ts';
import { Migration0017 } from './0017-suspects.ts';
import { Migration0018 } from './0018-rate-bucket-index.ts';
import { Migration0019 } from './0019-activity-filters.ts';
import { Migration0020 } from './0020-account-state-reasons.ts';
import { Migration0021 } from './0021-change-log.ts';
import { Migration0022 } from './0022-pack-store-id.ts';
import { Migration0024 } from './0024-compaction.ts';
import { Migration0025 } from './0025-path-index.ts';
import { Migration0026 } from './0026-path-keys.ts';
import { Migration0027 } from './0027-uncompressed-files.ts';

/**
 * A step from one schema to the next. Each schema has the number of the migration that leads to it.
 *
 * Its `up` only adds SQL, and returns nothing. It runs in one transaction, unless its `isTransactional` returns false: then it may only create and
 * drop indexes concurrently, `if not exists` and `if exists`, because it runs again after a crash.
 */
export interface MigrationClass {
  new (...parts: ConstructorParameters<typeof Migration>): Migration;
  /** The name of the class: `Migration` and the four digits of the number of the migration. */
  readonly name: string;
  /**
   * The oldest schema that a program must know to work with this schema: the schema of the oldest release that neither needs
   * what this migration removes, nor writes what it forbids. Default: this schema, so that no older program works with it.
   */
  readonly compatibleSince?: number;
}

/** All migrations, oldest first. A released migration is never edited. */
export const migrations: readonly MigrationClass[] = [
  Migration0001,
  Migration0002,
  Migration0003,
  Migration0004,
  Migration0005,
  Migration0006,
  Migration0007,
  Migration0008,
  Migration0009,
  Migration0010,
  Migration0011,
  Migration0012,
  Migration0013,
  Migration0014,
  Migration0015,
  Migration0016,
  Migration0017,
  Migration0018,
  Migration0019,
  Migration0020,
  Migration0021,
  Migration0022,
  Migration0024,
  Migration0025,
  Migration0026,
  Migration0027,
];
