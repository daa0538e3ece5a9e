import { Migration } from '@mikro-orm/migrations';

/** Adds the column in which each migration records the oldest schema that a program must know. */
export class Migration0006 extends Migration {
  static readonly compatibleSince = 4;
  override name = '0006-compatibility';

  override up(): void {
    this.addSql(`alter table "migration" add column "compatible_since" int null`);
  }
}
