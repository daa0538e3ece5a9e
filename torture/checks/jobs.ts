import type { Violations } from '../violations.ts';
import type { Records } from '../world/database.ts';

/** The lease of a killed process lasts 15 s, and another process asks for it every 5 s. A loaded machine takes longer. */
const TAKEN_AFTER_MS = 40_000;

/** Checks at every call that no time has passed in which a process should have taken the lease for the periodic jobs. */
export class JobsCheck {
  /** Since when no process has had the lease, as of `performance.now()`, and its term then. */
  #free: { since: number; term: number } | null = null;
  readonly #records: Records;
  readonly #violations: Violations;

  constructor(records: Records, violations: Violations) {
    this.#records = records;
    this.#violations = violations;
  }

  async run(): Promise<void> {
    const [row] = await this.#records.query<{ term: number; isHeld: boolean }>(
      `select term::int as term, until > now() as "isHeld" from lease where name = 'jobs'`,
    );
    const { term, isHeld } = row ?? { term: 0, isHeld: false };
    if (isHeld || (this.#free && this.#free.term !== term)) this.#free = null;
    if (isHeld) return;
    this.#free ??= { since: performance.now(), term };
    const ms = performance.now() - this.#free.since;
    this.#violations.require(
      ms < TAKEN_AFTER_MS,
      'jobs',
      () => `no process has taken the lease for ${Math.round(ms / 1_000)} s`,
    );
  }
}
