import { Migration } from '@mikro-orm/migrations';

/** Adds the domains of deploy tokens, and the domains of delta uploads. */
export class Migration0008 extends Migration {
  static readonly compatibleSince = 4;
  override name = '0008-deploys-to-domains';

  override up(): void {
    this.addSql(`alter table "token" add column "domains" text[] not null default '{}', add column "keep" int null`);
    this.addSql(
      `alter table "upload" add column "domain" text null, add column "keep" int null, add column "inherits_password" boolean not null default false`,
    );
  }
}
