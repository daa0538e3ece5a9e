/** A clock that agrees with the clock of the database, whatever the clock of this machine says. */
export interface DatabaseClock {
  /** The time of the database, as of the last {@link measure}; the time of this machine before the first one. */
  now(): Date;
  /**
   * Compares the clocks. Call it before the first use, and then regularly, because clocks drift.
   *
   * @returns By how many milliseconds the clock of this machine is ahead of the clock of the database.
   * @throws the errors of the database.
   */
  measure(): Promise<number>;
}

const SAMPLES = 3;

/**
 * Creates a clock that adds the time since the last comparison to the time of the database. The error is at most half of the
 * time that the fastest of three queries takes. Changes of the clock of this machine have no effect.
 *
 * @param readDatabaseMs Asks the database for its time, in Unix milliseconds.
 */
export function createDatabaseClock(readDatabaseMs: () => Promise<number>): DatabaseClock {
  /** The Unix time at which `performance.now()` was 0. */
  let originMs = Date.now() - performance.now();

  async function takeSample(): Promise<{ durationMs: number; originMs: number }> {
    const startMs = performance.now();
    const databaseMs = await readDatabaseMs();
    const endMs = performance.now();
    return { durationMs: endMs - startMs, originMs: databaseMs - (startMs + endMs) / 2 };
  }

  return {
    now: () => new Date(originMs + performance.now()),
    async measure() {
      let best = await takeSample();
      for (let n = 1; n < SAMPLES; n += 1) {
        const sample = await takeSample();
        if (sample.durationMs < best.durationMs) best = sample;
      }
      originMs = best.originMs;
      return Date.now() - (originMs + performance.now());
    },
  };
}
