import type { Core } from '@berth/core';
import type { Check } from './check.ts';

/** Returns the checks of what every serving process needs. Source: api §12. */
export function coreChecks({ database, packs }: Pick<Core, 'database' | 'packs'>): {
  database: Check;
  storage: Check;
} {
  return {
    async database() {
      if (!(await database.isReady())) throw new Error('The database does not answer.');
    },
    storage: () => packs.checkWritable(),
  };
}
