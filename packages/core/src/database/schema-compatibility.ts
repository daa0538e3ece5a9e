import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { type MigrationClass, migrations } from './migrations/index.ts';
import { db } from './tables.ts';

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
  const { rows: tables } = await sql<{
    exists: boolean;
  }>`select to_regclass('migration') is not null as exists`.execute(db(em));
  if (!tables[0]!.exists) return;
  // The column is missing before migration 6.
  const { rows } = await sql<{ name: string; since: number | null }>`
    select name, (to_jsonb(m) ->> 'compatible_since')::int as since from migration m`.execute(db(em));
  const needed = Math.max(0, ...rows.map(({ since }) => since ?? 0));
  if (needed <= NEWEST_KNOWN) return;
  throw new SchemaTooNewError({
    installed: Math.max(...rows.map(({ name }) => numberOf(name))),
    needed,
    known: NEWEST_KNOWN,
  });
}

/** Records for each migration the oldest schema that a program must know to use the database. */
export async function recordCompatibility(em: EntityManager): Promise<void> {
  for (const { number, migration } of KNOWN)
    await sql`
      update migration set compatible_since = ${migration.compatibleSince ?? number}
      where compatible_since is null and name like ${`${String(number).padStart(4, '0')}-%`}`.execute(db(em));
}

function numberOfClass({ name }: MigrationClass): number {
  return numberOf(name.slice(-4));
}
