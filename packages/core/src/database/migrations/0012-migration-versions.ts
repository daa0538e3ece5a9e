import { Migration } from '@mikro-orm/migrations';

/** Adds the version of Berth that ran each migration. */
export class Migration0012 extends Migration {
  static readonly compatibleSince = 4;
  override name = '0012-migration-versions';

  override up(): void {
    this.addSql(`alter table "migration" add column "berth_version" text null`);
  }
}
