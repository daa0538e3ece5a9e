import type { Migration } from '@mikro-orm/migrations';
import type { EntityManager } from '@mikro-orm/postgresql';
import { Migration0001 } from './0001-foundation.ts';
import { Migration0002 } from './0002-documented-api.ts';
import { Migration0003 } from './0003-serving.ts';
import { Migration0004 } from './0004-uploads.ts';
import { Migration0005 } from './0005-storage.ts';
import { Migration0006 } from './0006-compatibility.ts';
import { Migration0007 } from './0007-domain-versions.ts';
import { Migration0008 } from './0008-deploys-to-domains.ts';
import { Migration0009 } from './0009-take-down-reasons.ts';
import { db } from '../tables.ts';

/** A step from one schema to the next. Each schema has the number of the migration that leads to it. */
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
];

/** The table of migrations of the ORM. `compatible_since` is missing before migration 6. */
type MigrationTable = { migration: { name: string; compatible_since?: number | null } };

const numberOf = (name: string) => Number.parseInt(name, 10);
const KNOWN_MIGRATIONS = migrations.map((migration) => ({ number: numberOfClass(migration), migration }));
const NEWEST_KNOWN = Math.max(...KNOWN_MIGRATIONS.map(({ number }) => number));

/** @throws Error if a migration in the database requires a schema that this program does not know. */
export async function requireKnownSchema(em: EntityManager): Promise<void> {
  const { table } = await db(em)
    .selectNoFrom(({ fn, val }) => fn<string | null>('to_regclass', [val('migration')]).as('table'))
    .executeTakeFirstOrThrow();
  if (table === null) return;
  const rows = await db(em)
    .withTables<MigrationTable>()
    .selectFrom('migration')
    .select(({ fn }) => fn.toJson('migration').as('row'))
    .execute();
  const neededSchema = Math.max(0, ...rows.map(({ row }) => row.compatible_since ?? 0));
  if (neededSchema <= NEWEST_KNOWN) return;
  const installedSchema = Math.max(...rows.map(({ row }) => numberOf(row.name)));
  throw new Error(
    `The database has schema ${installedSchema}, which needs a Berth that knows schema ${neededSchema} or newer; this one knows schema ` +
      `${NEWEST_KNOWN}. Install a newer Berth, or restore a backup from before the upgrade.`,
  );
}

/** Records the oldest schema that a program must know to work with each migration. */
export async function recordCompatibility(em: EntityManager): Promise<void> {
  for (const { number, migration } of KNOWN_MIGRATIONS)
    await db(em)
      .withTables<MigrationTable>()
      .updateTable('migration')
      .set({ compatible_since: migration.compatibleSince ?? number })
      .where('compatible_since', 'is', null)
      .where('name', 'like', `${String(number).padStart(4, '0')}-%`)
      .execute();
}

function numberOfClass({ name }: MigrationClass): number {
  return numberOf(name.slice(-4));
}
