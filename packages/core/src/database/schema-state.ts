import type { ClientBase } from 'pg';
import type { MikroORM } from '@mikro-orm/postgresql';
import type { MigrationClass } from './migrations/index.ts';

/** The schema of a database, as seen by one program. */
export interface SchemaState {
  /** The number of the newest migration in the database; 0 for an empty database. */
  installed: number;
  /** The number of the newest migration that this program knows. */
  known: number;
  /** The names of the migrations of this program that are not in the database, oldest first. */
  pending: readonly string[];
}

/** A row of the table `migration`. Older schemas do not have all columns. */
interface MigrationRow {
  name: string;
  compatible_since?: number | null;
  berth_version?: string | null;
}

/** A migration of this program. */
export interface Step {
  number: number;
  /** The name in the database: the four digits of the number and some words, such as `0004-uploads`. */
  name: string;
  compatibleSince: number;
  /** Whether all statements run in one transaction. */
  isTransactional: boolean;
  statements: readonly string[];
}

/** What this program does with a schema: its migrations, oldest first, and its version for messages. */
export interface Program {
  steps: readonly Step[];
  version: string;
}

/** Reads a migration. */
export function stepOf(migrationClass: MigrationClass, { driver, config }: Pick<MikroORM, 'driver' | 'config'>): Step {
  const migration = new migrationClass(driver, config);
  void migration.up();
  const number = Number(migrationClass.name.slice(-4));
  return {
    number,
    name: migration.name!,
    compatibleSince: migrationClass.compatibleSince ?? number,
    isTransactional: migration.isTransactional(),
    statements: migration.getQueries() as string[],
  };
}

/** Reads the schema of a database. @throws Error if it needs a newer program than this one. */
export async function readSchema(session: ClientBase, program: Program): Promise<SchemaState> {
  const { rows: tables } = await session.query(`select to_regclass('migration') as name`);
  if (tables[0].name === null) return compareSchema([], program);
  const { rows } = await session.query<{ row: MigrationRow }>('select to_json(migration) as row from migration');
  const migrationRows = rows.map(({ row }) => row);
  return compareSchema(migrationRows, program);
}

/**
 * Compares the migrations in a database with those of a program.
 *
 * @throws Error if a migration requires a schema that the program does not know, or if a newer migration does not say which
 *   schema it requires.
 */
function compareSchema(rows: readonly MigrationRow[], { steps, version }: Program): SchemaState {
  const newestKnown = Math.max(...steps.map(({ number }) => number));
  const installedRows = rows.map((row) => ({ ...row, number: Number.parseInt(row.name, 10) }));
  const installedNumbers = new Set(installedRows.map(({ number }) => number));
  const installed = Math.max(0, ...installedNumbers);
  const needed = Math.max(
    0,
    ...installedRows.map((row) => row.compatible_since ?? (row.number > newestKnown ? row.number : 0)),
  );
  if (needed > newestKnown) {
    const newestVersion = installedRows.find(({ number }) => number === installed)?.berth_version;
    throw new Error(
      `The database has schema ${installed}, which needs a Berth that knows schema ${needed} or newer; this one, ${version}, knows ` +
        `schema ${newestKnown}. Install ${newestVersion ? `Berth ${newestVersion} or newer` : 'a newer Berth'}, or restore a ` +
        'backup from before the upgrade.',
    );
  }
  const pendingSteps = steps.filter(({ number }) => !installedNumbers.has(number));
  return { installed, known: newestKnown, pending: pendingSteps.map(({ name }) => name) };
}
