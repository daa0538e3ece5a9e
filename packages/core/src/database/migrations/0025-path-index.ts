import { Migration } from '@mikro-orm/migrations';

/** Adds the path index of a manifest. It is null for a deployment that was made before, until it is first visited. */
export class Migration0025 extends Migration {
  static readonly compatibleSince = 4;
  override name = '0025-path-index';

  override up(): void {
    this.addSql(`alter table "manifest" add column "path_index" bytea null`);
    // Slices of a column that is not compressed are read without the rest.
    this.addSql(`alter table "manifest" alter column "path_index" set storage external`);
  }
}
