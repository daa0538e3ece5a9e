import { Migration } from '@mikro-orm/migrations';

/** Adds the e-mail addresses by which people recognise their identities. Rows of older versions get them at the next sign-in. */
export class Migration0016 extends Migration {
  static readonly compatibleSince = 4;
  override name = '0016-identity-emails';

  override up(): void {
    this.addSql(`alter table "identity" add column "email" text null`);
  }
}
