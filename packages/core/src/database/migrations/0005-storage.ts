import { Migration } from '@mikro-orm/migrations';

/** Adds the storage of accounts, the addresses of deployments, and the credentials and last use of uploads. */
export class Migration0005 extends Migration {
  override name = '0005-storage';

  override up(): void {
    this.addSql(`
      alter table "account" add column "storage_bytes" bigint not null default '0',
        add column "storage_exact" boolean not null default true,
        add column "storage_version" int not null default 0`);
    // An upper bound is enough, because the first request or the sweep measures the account.
    this.addSql(`
      update "account" a set "storage_exact" = false, "storage_bytes" =
        (select coalesce(sum(d."size"), 0) from "deployment" d where d."account_id" = a."id" and d."status" = 'success')
        + (select coalesce(sum(f.size), 0) from "upload" u cross join unnest(u."sizes") as f (size)
          where u."account_id" = a."id" and u."committed" is null)`);
    this.addSql(`alter table "deployment" add column "address" text null`);
    this.addSql(`create index "deployment_address_index" on "deployment" ("address")`);
    this.addSql(`alter table "upload" add column "token" text null, add column "touched" timestamptz(3) null`);
    this.addSql(`update "upload" set "touched" = "created"`);
    this.addSql(`alter table "upload" alter column "touched" set not null`);
    this.addSql(`create index "upload_address_index" on "upload" ("address")`);
    // Removes repeated contents of an upload, so that the number of its contents can be counted.
    this.addSql(`
      create temporary table "received" on commit drop as
        select distinct on (c."upload_hash", h.hash) c."upload_hash", h.hash, c."lengths"[position] as length
        from "upload_content" c
        cross join generate_series(1, octet_length(c."hashes") / 32) as position
        cross join lateral (select substring(c."hashes" from (position - 1) * 32 + 1 for 32) as hash) h`);
    this.addSql(`delete from "upload_content"`);
    this.addSql(`
      insert into "upload_content" ("upload_hash", "hashes", "lengths")
      select "upload_hash", string_agg(hash, '' order by hash), array_agg(length order by hash) from "received" group by 1`);
  }
}
