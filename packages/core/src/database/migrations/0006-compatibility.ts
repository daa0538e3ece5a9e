import { Migration } from '@mikro-orm/migrations';

/** Each migration records the oldest schema that a program has to know to work with it. */
export class Migration0006 extends Migration {
  static readonly compatibleSince = 4;
  override name = '0006-compatibility';

  override up(): void {
    this.addSql(`alter table "migration" add column "compatible_since" int null`);
  }
}
