import { Migration } from '@mikro-orm/migrations';

/**
 * Adds the packs that may be unreferenced, which triggers record where references to packs end, and the leases of jobs. Leaves
 * room in the pages of rate limits, so that a row can be updated in its page.
 */
export class Migration0017 extends Migration {
  static readonly compatibleSince = 4;
  override name = '0017-suspects';

  override up(): void {
    this.addSql(`
      create table "pack_suspect" (
        "pack_id" uuid not null,
        "since" timestamptz(6) not null,
        primary key ("pack_id", "since")
      )`);
    this.addSql(`create index "pack_suspect_since_index" on "pack_suspect" ("since")`);
    // Rows are only inserted, so that transactions that end references to the same pack never wait for each other.
    this.addSql(`
      create function suspect_packs() returns trigger language plpgsql as $$
      begin
        insert into pack_suspect (pack_id, since)
        select distinct pack_id, clock_timestamp() from gone where pack_id is not null
        on conflict do nothing;
        return null;
      end $$`);
    for (const table of ['deployment_pack', 'upload_pack', 'compression'])
      this.addSql(`
        create trigger "${table}_suspect" after delete on "${table}" referencing old table as gone
        for each statement execute function suspect_packs()`);
    this.addSql(`
      create table "lease" (
        "name" text not null,
        "holder" text not null,
        "term" bigint not null,
        "until" timestamptz(6) not null,
        primary key ("name")
      )`);
    this.addSql(`alter table "rate_bucket" set (fillfactor = 50)`);
  }
}
