import { onTestFinished } from 'vitest';
import type { TestDatabase } from './database.ts';

/**
 * Makes the database refuse a change of some rows. @returns A function that allows the change again.
 *
 * @param change The change: `update on account`.
 * @param condition The rows, in SQL: `old.id = 'x'`.
 */
export async function refuseRows(
  database: TestDatabase,
  change: string,
  condition: string,
): Promise<() => Promise<void>> {
  await database.query(`create or replace function refuse_rows() returns trigger language plpgsql as
    $$ begin raise exception 'refused by the test' using errcode = 'check_violation'; end $$`);
  await database.query(
    `create trigger refuse_rows before ${change} for each row when (${condition}) execute function refuse_rows()`,
  );
  const allowRows = async () => void (await database.query('drop function if exists refuse_rows cascade'));
  onTestFinished(allowRows);
  return allowRows;
}

/** Creates a log that collects warnings and ignores other lines. */
export function warningLog() {
  const warnings: Record<string, unknown>[] = [];
  return {
    warnings,
    log: {
      info() {},
      warn: (fields: object, message: string) => void warnings.push({ ...fields, message }),
      error() {},
    },
  };
}
