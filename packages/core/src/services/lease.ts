import { sql } from 'kysely';
import type { Core } from '../core.ts';
import { fenceDatabase } from '../database/fenced-database.ts';
import { db } from '../database/tables.ts';

/** How long a lease lasts without a renewal, in milliseconds. */
const LEASE_MS = 15_000;
/** A transaction of a holder that stops responding ends after this time, so that another process can take the lease. */
const MAX_IDLE_MS = 10_000;

/** Work that was refused because the process no longer has the lease. */
export class LeaseLostError extends Error {
  constructor(name: string) {
    super(`This process no longer has the lease "${name}".`);
    this.name = 'LeaseLostError';
  }
}

/** The right of this process to do some work, which no other process has at the same time. */
export interface HeldLease {
  /**
   * The core for the work. Each of its transactions and statements checks the lease first, and keeps it until it ends. So a
   * process that was paused changes nothing after another one has taken the lease: it gets a {@link LeaseLostError}.
   */
  readonly core: Core;
  /** The time, as of `performance.now()`, until which the process has the lease if it does not renew it. */
  readonly endsAt: number;
  /** Extends the lease to 15 s from now. @returns False if it was lost. @throws the errors of the database. */
  renew(): Promise<boolean>;
  /** Gives the lease to the next process that asks. Does nothing if it was lost. @throws the errors of the database. */
  release(): Promise<void>;
}

/**
 * Takes a lease, unless another process has it. All times are those of the database.
 *
 * @returns `null` if another process has the lease, or a transaction of its last holder still runs.
 * @throws the errors of the database. Source: storage §11.
 */
export async function takeLease(core: Core, name: string): Promise<HeldLease | null> {
  const length = sql`${LEASE_MS} * interval '1 millisecond'`;
  let startedAt = performance.now();
  await sql`
    insert into lease (name, holder, term, until) values (${name}, '', 0, '-infinity') on conflict do nothing`.execute(
    db(core),
  );
  const { rows } = await sql<{ term: number }>`
    update lease set holder = ${core.boot}, term = term + 1, until = clock_timestamp() + ${length}
    where name = (
      select name from lease where name = ${name} and until <= clock_timestamp() for update skip locked)
    returning term`.execute(db(core));
  const term = rows[0]?.term;
  if (term === undefined) return null;
  const isHeld = sql`name = ${name} and term = ${term} and until > clock_timestamp()`;
  const database = fenceDatabase(core.database, async (em) => {
    // The lock of the key lets the holder renew the lease, but no other process take it. It ends with the transaction.
    const held = await sql`
      select set_config('idle_in_transaction_session_timeout', ${String(MAX_IDLE_MS)}, true)
      from lease where ${isHeld} for key share`.execute(db(em));
    if (held.rows.length === 0) throw new LeaseLostError(name);
  });
  return {
    core: { ...core, database },
    get endsAt() {
      return startedAt + LEASE_MS;
    },
    async renew() {
      const renewedAt = performance.now();
      const { numAffectedRows } = await sql`
        update lease set until = clock_timestamp() + ${length} where ${isHeld}`.execute(db(core));
      if (!numAffectedRows) return false;
      startedAt = renewedAt;
      return true;
    },
    async release() {
      await sql`update lease set until = '-infinity' where ${isHeld}`.execute(db(core));
    },
  };
}
