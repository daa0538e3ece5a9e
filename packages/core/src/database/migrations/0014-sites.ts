import { Migration } from '@mikro-orm/migrations';

/**
 * Adds the titles and icons of front pages, the credentials that made deployments and linked domains, and when deployments
 * expired. Rows of older versions have none of these.
 */
export class Migration0014 extends Migration {
  static readonly compatibleSince = 4;
  override name = '0014-sites';

  override up(): void {
    this.addSql(`
      create table "front_page" (
        "deployment_id" text not null,
        "due" timestamptz(3) null,
        "title" text null,
        "icon" bytea null,
        "icon_type" text null,
        primary key ("deployment_id"),
        constraint "front_page_deployment_id_foreign" foreign key ("deployment_id") references "deployment" ("id") on update cascade on delete cascade
      )`);
    this.addSql(`create index "front_page_due_index" on "front_page" ("due") where "due" is not null`);
    this.addSql(`alter table "deployment" add column "auth_method" text null, add column "token" text null`);
    this.addSql(`alter table "domain_version" add column "token" text null`);
    this.addSql(`alter table "issued_id" add column "expired" timestamptz(3) null`);
  }
}
