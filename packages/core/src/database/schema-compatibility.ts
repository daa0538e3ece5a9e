import type { EntityManager } from '@mikro-orm/postgresql';
import { type MigrationClass, migrations } from './migrations/index.ts';
import { db } from './tables.ts';

/** The ORM's table of migrations. `compatible_since` is missing before migration 6. */
type MigrationTable = { migration: { name: string; compatible_since?: number | null } };

/** A newer program has changed the schema so that this one cannot use it. */
class SchemaTooNewError extends Error {
  constructor({ installed, needed, known }: { installed: number; needed: number; known: number }) {
    super(
      `The database has schema ${installed}, which needs a Berth that knows schema ${needed} or newer; this one knows schema ` +
        `${known}. Install a newer Berth, or restore a backup from before the upgrade.`,
    );
    this.name = 'SchemaTooNewError';
  }
}

const numberOf = (name: string) => Number.parseInt(name, 10);
const KNOWN = migrations.map((migration) => ({ number: numberOfClass(migration), migration }));
const NEWEST_KNOWN = Math.max(...KNOWN.map(({ number }) => number));

/**
 * Refuses a database whose schema is too new for this program. Each migration has recorded in the database which schema a program
 * must know at least. Newer but compatible migrations are accepted.
 *
 * @throws SchemaTooNewError
 */
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
  const needed = Math.max(0, ...rows.map(({ row }) => row.compatible_since ?? 0));
  if (needed <= NEWEST_KNOWN) return;
  throw new SchemaTooNewError({
    installed: Math.max(...rows.map(({ row }) => numberOf(row.name))),
    needed,
    known: NEWEST_KNOWN,
  });
}

/** Records for each migration the oldest schema that a program must know to use the database. */
export async function recordCompatibility(em: EntityManager): Promise<void> {
  for (const { number, migration } of KNOWN)
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
