import { Migration } from '@mikro-orm/migrations';

/** Adds domains, plan changes, billing periods, take-downs, rate limits, and notifications of new activities. */
export class Migration0002 extends Migration {
  override name = '0002-documented-api';

  override up(): void {
    this.addSql(`alter table "account" add column "dns_name" text null`);
    this.addSql(`alter table "account" add column "period" text not null default 'month'`);
    this.addSql(`alter table "account" add column "period_started" timestamptz(3) null`);
    this.addSql(
      `update "account" set "dns_name" = substr(replace(gen_random_uuid()::text, '-', ''), 1, 7), "period_started" = "created"`,
    );
    this.addSql(`alter table "account" alter column "dns_name" set not null`);
    this.addSql(`alter table "account" alter column "period_started" set not null`);
    this.addSql(`alter table "account" add constraint "account_dns_name_unique" unique ("dns_name")`);
    this.addSql(`alter table "account" add constraint "account_period_check" check ("period" in ('month', 'year'))`);
    this.addSql(`create index "token_account_id_index" on "token" ("account_id", "id")`);
    this.addSql(`alter table "deployment" add column "taken_down" timestamptz(3) null`);
    this.addSql(`alter table "deployment" add column "claimed" timestamptz(3) null`);
    this.addSql(`
      create table "domain" (
        "id" bigserial primary key,
        "account_id" text not null,
        "name" text not null,
        "kind" text not null,
        "status" text not null,
        "deployment_id" text null,
        "labels" text[] not null,
        "created" timestamptz(3) not null,
        "linked" timestamptz(3) null,
        "links" int not null default 0,
        "verified" timestamptz(3) null,
        "checked" timestamptz(3) null,
        "next_check" timestamptz(3) null,
        "checks" jsonb not null,
        "misses" int not null default 0,
        "missing" timestamptz(3) null,
        "share_hash" text null
      )`);
    this.addSql(`create index "domain_deployment_id_index" on "domain" ("deployment_id")`);
    this.addSql(`alter table "domain" add constraint "domain_share_hash_unique" unique ("share_hash")`);
    this.addSql(`alter table "domain" add constraint "domain_account_name_unique" unique ("account_id", "name")`);
    this.addSql(`create unique index "domain_verified_name_unique" on "domain" ("name") where "verified" is not null`);
    this.addSql(`create index "domain_account_created_id_index" on "domain" ("account_id", "created", "id")`);
    this.addSql(`create index "domain_next_check_index" on "domain" ("next_check")`);
    this.addSql(`alter table "domain" add constraint "domain_kind_check" check ("kind" in ('platform', 'custom'))`);
    this.addSql(
      `alter table "domain" add constraint "domain_status_check" check ("status" in ('pending', 'partial', 'success', 'paused'))`,
    );
    this.addSql(`
      create table "plan_change" (
        "account_id" text not null,
        "plan" text not null,
        "created" timestamptz(3) not null,
        "due" timestamptz(3) not null,
        primary key ("account_id")
      )`);
    this.addSql(`create index "plan_change_due_index" on "plan_change" ("due")`);
    this.addSql(`
      create unlogged table "rate_bucket" (
        "key" text not null,
        "full" timestamptz(6) not null,
        "taken" boolean not null,
        primary key ("key")
      )`);
    this.addSql(`create index "rate_bucket_full_index" on "rate_bucket" ("full")`);
    this.addSql(
      `alter table "domain" add constraint "domain_account_id_foreign" foreign key ("account_id") references "account" ("id") on delete restrict`,
    );
    this.addSql(
      `alter table "domain" add constraint "domain_deployment_id_foreign" foreign key ("deployment_id") references "deployment" ("id") on delete restrict`,
    );
    this.addSql(
      `alter table "plan_change" add constraint "plan_change_account_id_foreign" foreign key ("account_id") references "account" ("id") on update cascade on delete cascade`,
    );
    // The notification is sent when the transaction commits, so that every subscriber finds the row.
    this.addSql(`
      create function tell_activity() returns trigger language plpgsql as $$
      begin
        perform pg_notify('berth_activity', json_build_object('account', new.account_id, 'id', new.id)::text);
        return null;
      end $$`);
    this.addSql(
      `create trigger "activity_tell" after insert on "activity" for each row execute function tell_activity()`,
    );
  }
}
