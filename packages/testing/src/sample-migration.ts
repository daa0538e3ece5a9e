import { Migration } from '@mikro-orm/migrations';
import type { MigrationClass } from '../../core/src/database/migrations/index.ts';

/** Returns a migration of a future release. By default it is compatible with version 0.1.0; `null` declares nothing. */
export function sampleMigration(
  name: string,
  statements: readonly string[],
  { transactional = true, compatibleSince = 4 as number | null } = {},
): MigrationClass {
  const migrationClass = class extends Migration {
    static readonly compatibleSince = compatibleSince ?? undefined;
    override name = name;
    override isTransactional = () => transactional;
    override up(): void {
      for (const statement of statements) this.addSql(statement);
    }
  };
  return Object.defineProperty(migrationClass, 'name', { value: `Migration${name.slice(0, 4)}` });
}
