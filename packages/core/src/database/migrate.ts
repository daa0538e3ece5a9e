import { setTimeout as sleep } from 'node:timers/promises';
import type { ClientBase } from 'pg';
import type { Log } from '../log.ts';
import { type Program, readSchema, type SchemaState, type Step } from './schema-state.ts';

/** A migration that has run. */
export interface AppliedMigration {
  name: string;
  durationMs: number;
}

export interface MigrateOptions {
  /** The number of the last migration to run. Default: the newest. */
  upTo?: number;
  /** Ends the wait for another process that migrates, and for locks. */
  signal?: AbortSignal | undefined;
}

/** The lock of the process that migrates. */
const PROCESS_LOCK = 7_212_002;
/**
 * The lock of each transaction that migrates, for which Berth 0.1.0 waits in a statement. It is not held outside of
 * transactions: an index that is created concurrently waits for all running statements, so there would be a deadlock.
 */
const TRANSACTION_LOCK = 7_212_001;
const LOCK_POLL_MS = 100;
/** How long a migration waits for the lock of a table. Statements that come after it wait as long. */
const LOCK_TIMEOUT_MS = 2_000;
/** The pause before a migration tries again to get its locks. Meanwhile the waiting statements run. */
const RETRY_PAUSE_MS = 1_000;
/** How long a migration tries to get its locks. */
const MAX_LOCK_TRIES_MS = 300_000;
/** The SQL states `lock_not_available` and `deadlock_detected`. */
const RETRYABLE_CODES = new Set(['55P03', '40P01']);
/** The schemas with the columns of the table `migration`. */
const SCHEMA_WITH_COMPATIBILITY = 6;
const SCHEMA_WITH_VERSIONS = 12;

const CREATE_TABLE = `
  create table if not exists "migration" (
    "id" serial primary key,
    "name" varchar(255) not null,
    "executed_at" timestamptz(6) not null default current_timestamp
  )`;

/** Returns the migrations of a program up to a number that a database does not have, oldest first. */
export function pendingSteps({ steps }: Program, { pending }: SchemaState, upTo = Infinity): Step[] {
  return steps.filter(({ name, number }) => number <= upTo && pending.includes(name));
}

/**
 * Runs the pending migrations, one transaction each. Several processes may call it at the same time; one of them migrates.
 * A killed process leaves a schema that the next call completes.
 *
 * A migration gives up its place in the queue of a lock after 2 s and tries again a second later, so that it never blocks
 * other statements for longer.
 *
 * @param session A session that only this call uses.
 * @returns The migrations that this call ran, oldest first.
 * @throws Error if the schema needs a newer program, if a migration fails, or if it gets no lock within five minutes; the reason of `signal`.
 */
export async function migrate(
  session: ClientBase,
  program: Program,
  log: Log,
  { upTo, signal }: MigrateOptions = {},
): Promise<AppliedMigration[]> {
  const applied: AppliedMigration[] = [];
  // A limit that the administrator of the database has set for the statements of requests.
  await session.query('set statement_timeout = 0');
  for (const start = performance.now(); ;) {
    await acquireProcessLock(session, log, signal);
    try {
      const schema = await readSchema(session, program);
      const pending = pendingSteps(program, schema, upTo);
      const isNew = schema.installed === 0;
      for (const step of pending) {
        const appliedMigration = await apply(session, step, program);
        if (appliedMigration === null) continue;
        applied.push(appliedMigration);
        if (!isNew) log.info({ ...appliedMigration }, 'Migrated the database');
      }
      if (isNew) log.info({ schema: pending.at(-1)!.number }, 'Created the tables of the database');
      return applied;
    } catch (error) {
      if (!RETRYABLE_CODES.has((error as { code?: string }).code ?? '')) throw error;
      if (performance.now() - start > MAX_LOCK_TRIES_MS) throw explainLockTimeout(error as Error);
      log.warn({ reason: (error as Error).message }, 'A migration waits for other transactions to end; trying again');
    } finally {
      await session.query('select pg_advisory_unlock_all()').catch(() => {}); // A lost session has no locks.
    }
    await sleep(RETRY_PAUSE_MS, undefined, { signal });
  }
}

/** Polls, because a session that waits in a statement would block an index that is created concurrently. */
async function acquireProcessLock(session: ClientBase, log: Log, signal?: AbortSignal): Promise<void> {
  for (let isLogged = false; ; isLogged = true) {
    const { rows } = await session.query<{ locked: boolean }>('select pg_try_advisory_lock($1) as locked', [
      PROCESS_LOCK,
    ]);
    if (rows[0]!.locked) return;
    if (!isLogged) log.info({}, 'Another process is migrating the database; waiting');
    await sleep(LOCK_POLL_MS, undefined, { signal });
  }
}

/** Runs one migration. @returns `null` if another program has run it in the meantime. */
async function apply(session: ClientBase, step: Step, program: Program): Promise<AppliedMigration | null> {
  const start = performance.now();
  const { name, statements, isTransactional } = step;
  try {
    if (!isTransactional) await createIndexes(session, statements);
    const isApplied = await inTransaction(session, async () => {
      if (await isRecorded(session, name)) return false;
      for (const statement of isTransactional ? statements : []) await session.query(statement);
      await record(session, step, program);
      return true;
    });
    return isApplied ? { name, durationMs: Math.round(performance.now() - start) } : null;
  } catch (error) {
    throw Object.assign(error as Error, { message: `migration ${name}: ${(error as Error).message}` });
  }
}

async function inTransaction<T>(session: ClientBase, work: () => Promise<T>): Promise<T> {
  await session.query('begin');
  try {
    await session.query(`set local lock_timeout = ${LOCK_TIMEOUT_MS}`);
    await session.query('select pg_advisory_xact_lock($1)', [TRANSACTION_LOCK]);
    const result = await work();
    await session.query('commit');
    return result;
  } catch (error) {
    await session.query('rollback').catch(() => {}); // The first error is the one to report.
    throw error;
  }
}

async function isRecorded(session: ClientBase, name: string): Promise<boolean> {
  await session.query(CREATE_TABLE);
  return (await session.query('select from "migration" where "name" = $1', [name])).rows.length > 0;
}

/**
 * Runs statements outside of a transaction. They wait for running transactions as long as necessary, because a session that
 * creates an index concurrently blocks no other statement while it waits.
 */
async function createIndexes(session: ClientBase, statements: readonly string[]): Promise<void> {
  await session.query('set lock_timeout = 0');
  for (const statement of statements) {
    const [, index] = /^\s*create (?:unique )?index concurrently if not exists "([^"]+)"/i.exec(statement) ?? [];
    if (index !== undefined && (await isInvalid(session, index)))
      await session.query(`drop index concurrently if exists "${index}"`);
    await session.query(statement);
  }
}

/** Whether an attempt that was interrupted left an index that PostgreSQL does not use. */
async function isInvalid(session: ClientBase, index: string): Promise<boolean> {
  const { rows } = await session.query('select from pg_index where indexrelid = to_regclass($1) and not indisvalid', [
    `"${index}"`,
  ]);
  return rows.length > 0;
}

/** Records a migration, the version of the program, and the oldest schema that a program must know to work with it. */
async function record(session: ClientBase, { name, number }: Step, { steps, version }: Program): Promise<void> {
  await session.query('insert into "migration" ("name") values ($1)', [name]);
  if (number >= SCHEMA_WITH_COMPATIBILITY)
    await session.query(
      `update "migration" m set "compatible_since" = known.since from unnest($1::text[], $2::int[]) as known (name, since)
       where m."compatible_since" is null and m."name" = known.name`,
      [steps.map((step) => step.name), steps.map(({ compatibleSince }) => compatibleSince)],
    );
  if (number >= SCHEMA_WITH_VERSIONS)
    await session.query('update "migration" set "berth_version" = $2 where "name" = $1', [name, version]);
}

function explainLockTimeout(cause: Error): Error {
  return new Error(
    `${cause.message}. For ${MAX_LOCK_TRIES_MS / 60_000} minutes other sessions of the database did not release their locks. ` +
      'Find them with "select pid, xact_start, query from pg_stat_activity order by xact_start", end the oldest ones, and start again.',
    { cause },
  );
}
