import { Migration } from '@mikro-orm/migrations';

/**
 * Adds the change log. Triggers insert into it instead of notifying. They still notify while a process of the last release has
 * sent a heartbeat, because such a process knows of changes by notifications only.
 */
export class Migration0021 extends Migration {
  static readonly compatibleSince = 4;
  override name = '0021-change-log';

  override up(): void {
    this.addSql(`
      create table "change" (
        "xid" xid8 not null default pg_current_xact_id(),
        "kind" text not null,
        "key" text not null,
        primary key ("xid", "kind", "key")
      )`);
    this.addSql(`
      create unlogged table "change_epoch" (
        "id" smallint not null,
        "epoch" uuid not null,
        primary key ("id")
      )`);
    this.addSql(`insert into "change_epoch" values (1, gen_random_uuid())`);
    this.addSql(`alter table "boot" add column "reads_changes" boolean not null default false`);
    // Returns whether a process of the last release runs.
    this.addSql(`
      create function record_change(kind text, key text) returns boolean language plpgsql as $$
      begin
        insert into change (kind, key) values (record_change.kind, record_change.key) on conflict do nothing;
        return exists (select from boot where not reads_changes and heartbeat > now() - interval '10 minutes');
      end $$`);
    this.addSql(`
      create or replace function tell_activity() returns trigger language plpgsql as $$
      begin
        if record_change('activity', new.account_id) then
          perform pg_notify('berth_activity', json_build_object('account', new.account_id, 'id', new.id)::text);
        end if;
        return null;
      end $$`);
    this.addSql(`
      create or replace function tell_site() returns trigger language plpgsql as $$
      declare
        changed record := case when tg_op = 'DELETE' then old else new end;
        key text;
      begin
        if tg_argv[1] = 'name' then key := changed.name; else key := changed.id; end if;
        if record_change(tg_argv[0], key) then
          perform pg_notify('berth_site', json_build_object(tg_argv[0], key)::text);
        end if;
        return null;
      end $$`);
  }
}
