import type { Database } from '../../core/src/database/database.ts';
import { fenceDatabase } from '../../core/src/database/fenced-database.ts';

const OTHER_PLANS = ['hashjoin', 'mergejoin', 'hashagg', 'sort', 'material', 'memoize'];

/**
 * Returns a database that joins only with nested loops, so that PostgreSQL runs a subquery once for each row if it may.
 * In production, it chooses such a plan only with rare statistics.
 */
export function withNestedLoops(database: Database): Database {
  return fenceDatabase(database, async (em) => {
    for (const plan of OTHER_PLANS) await em.execute(`set local enable_${plan} = off`);
  });
}
