import { Migration } from '@mikro-orm/migrations';

/**
 * Adds the path index of a manifest in two columns: the keys in base64, which the driver receives as they are, and the positions. Both are
 * null for a deployment that was made before, until it is first visited. `path_index` remains for the programs of the last release.
 */
export class Migration0026 extends Migration {
  static readonly compatibleSince = 4;
  override name = '0026-path-keys';

  override up(): void {
    this.addSql(`alter table "manifest" add column "path_keys" text null, add column "path_positions" bytea null`);
    // Random keys do not become shorter, and slices of a column that is not compressed are read without the rest.
    this.addSql(`alter table "manifest" alter column "path_keys" set storage external`);
    this.addSql(`alter table "manifest" alter column "path_positions" set storage external`);
  }
}
