import { Migration } from '@mikro-orm/migrations';

/** Adds the history of domains. The history of an existing domain begins with the deployment that it points at. */
export class Migration0007 extends Migration {
  static readonly compatibleSince = 4;
  override name = '0007-domain-versions';

  override up(): void {
    this.addSql(`
      create table "domain_version" (
        "id" bigserial primary key,
        "account_id" text not null,
        "domain" text not null,
        "deployment" text not null,
        "linked" timestamptz(3) not null,
        "unlinked" timestamptz(3) null,
        "by" text not null
      )`);
    this.addSql(
      `create index "domain_version_account_domain_id_index" on "domain_version" ("account_id", "domain", "id")`,
    );
    this.addSql(
      `create unique index "domain_version_current_unique" on "domain_version" ("account_id", "domain") where "unlinked" is null`,
    );
    this.addSql(
      `alter table "domain_version" add constraint "domain_version_account_id_foreign" foreign key ("account_id") references "account" ("id") on delete cascade`,
    );
    this.addSql(`
      insert into "domain_version" ("account_id", "domain", "deployment", "linked", "by")
      select o."account_id", o."name", o."deployment_id", coalesce(o."linked", o."created"), coalesce(a."auth_method", 'system')
      from "domain" o
      left join (
        select distinct on ("account_id", "domain", "deployment") "account_id", "domain", "deployment", "auth_method"
        from "activity" where "event" in ('domain.create', 'domain.update') and "deployment" is not null
        order by "account_id", "domain", "deployment", "id" desc
      ) a on a."account_id" = o."account_id" and a."domain" = o."name" and a."deployment" = o."deployment_id"
      where o."deployment_id" is not null
      order by o."linked", o."id"`);
  }
}
