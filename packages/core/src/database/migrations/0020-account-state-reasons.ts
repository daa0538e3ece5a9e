import { Migration } from '@mikro-orm/migrations';

/** Adds the reason for which an account is suspended or terminated. */
export class Migration0020 extends Migration {
  static readonly compatibleSince = 4;
  override name = '0020-account-state-reasons';

  override up(): void {
    this.addSql(`alter table "account" add column "state_reason" text null`);
  }
}
