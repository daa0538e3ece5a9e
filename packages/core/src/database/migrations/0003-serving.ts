import { Migration } from '@mikro-orm/migrations';

/** Adds the rules of sites, compressed forms, and notifications of every change that visitors can see. */
export class Migration0003 extends Migration {
  override name = '0003-serving';

  override up(): void {
    this.addSql(`alter table "manifest" add column "rules" jsonb null`);
    this.addSql(`alter table "deployment" add column "compress_at" timestamptz(3) null`);
    this.addSql(`update "deployment" set "compress_at" = "created" where "status" = 'success'`);
    this.addSql(`create index "deployment_compress_at_index" on "deployment" ("compress_at")`);
    this.addSql(`
      create table "compression" (
        "content_hash" bytea not null,
        "pack_id" uuid null,
        "forms" jsonb not null,
        primary key ("content_hash")
      )`);
    this.addSql(`create index "compression_pack_id_index" on "compression" ("pack_id")`);
    this.addSql(
      `alter table "compression" add constraint "compression_content_hash_foreign" foreign key ("content_hash") references "content" ("hash") on update cascade on delete cascade`,
    );
    this.addSql(
      `alter table "compression" add constraint "compression_pack_id_foreign" foreign key ("pack_id") references "pack" ("id") on delete restrict`,
    );
    this.addSql(`
      create or replace function keep_needed_pack() returns trigger language plpgsql as $$
      begin
        if exists (select 1 from content where pack_id = old.id) then
          raise foreign_key_violation using message = 'pack ' || old.id || ' still holds contents';
        end if;
        if exists (select 1 from compression where pack_id = old.id) then
          raise foreign_key_violation using message = 'pack ' || old.id || ' still holds compressed forms';
        end if;
        return case when tg_op = 'DELETE' then old else new end;
      end $$`);
    // The notification is sent when the transaction commits. Its payload names the changed deployment, domain or account.
    this.addSql(`
      create function tell_site() returns trigger language plpgsql as $$
      begin
        perform pg_notify('berth_site', json_build_object(tg_argv[0], case when tg_op = 'DELETE' then
          to_jsonb(old) else to_jsonb(new) end -> tg_argv[1])::text);
        return null;
      end $$`);
    this.addSql(`
      create trigger "deployment_tell" after update of "status", "account_id", "password_hash", "expires", "taken_down" or delete
      on "deployment" for each row execute function tell_site('deployment', 'id')`);
    // Notifies when files were compressed, but not when a process takes a deployment, which sets a later time.
    this.addSql(`
      create trigger "deployment_tell_compressed" after update of "compress_at" on "deployment"
      for each row when (new."compress_at" is null or new."compress_at" < old."compress_at") execute function tell_site('deployment', 'id')`);
    this.addSql(`
      create trigger "domain_tell" after insert or update of "deployment_id", "status", "verified", "account_id" or delete
      on "domain" for each row execute function tell_site('domain', 'name')`);
    this.addSql(`
      create trigger "account_tell" after update of "state"
      on "account" for each row when (old."state" <> new."state") execute function tell_site('account', 'id')`);
  }
}
