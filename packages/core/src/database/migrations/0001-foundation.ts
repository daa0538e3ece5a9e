import { Migration } from '@mikro-orm/migrations';

/** Creates the tables of accounts, tokens, deployments, packs, contents, activities and idempotency records. */
export class Migration0001 extends Migration {
  override name = '0001-foundation';

  override up(): void {
    this.addSql(`
      create table "account" (
        "id" text not null,
        "email" text not null,
        "name" text null,
        "plan" text not null,
        "state" text not null default 'active',
        "deployment_count" int not null default 0,
        "created" timestamptz(3) not null,
        primary key ("id")
      )`);
    this.addSql(`alter table "account" add constraint "account_email_unique" unique ("email")`);
    this.addSql(
      `alter table "account" add constraint "account_state_check" check ("state" in ('active', 'suspended', 'terminated'))`,
    );
    this.addSql(`
      create table "activity" (
        "id" bigserial primary key,
        "account_id" text not null,
        "event" text not null,
        "created" timestamptz(3) not null,
        "deployment" text null,
        "domain" text null,
        "token" text null,
        "auth_method" text not null,
        "meta" jsonb not null
      )`);
    this.addSql(`create index "activity_account_id_index" on "activity" ("account_id", "id")`);
    this.addSql(`
      create table "boot" (
        "id" text not null,
        "started" timestamptz(3) not null,
        "heartbeat" timestamptz(3) not null,
        primary key ("id")
      )`);
    this.addSql(`
      create table "deployment" (
        "id" text not null,
        "account_id" text null,
        "status" text not null,
        "files" int not null,
        "size" bigint not null,
        "labels" text[] not null,
        "via" text not null,
        "password_hash" text null,
        "claim_hash" bytea null,
        "created" timestamptz(3) not null,
        "expires" timestamptz(3) null,
        primary key ("id")
      )`);
    this.addSql(`alter table "deployment" add constraint "deployment_claim_hash_unique" unique ("claim_hash")`);
    this.addSql(`create index "deployment_account_created_id_index" on "deployment" ("account_id", "created", "id")`);
    this.addSql(`create index "deployment_expires_index" on "deployment" ("expires")`);
    this.addSql(`create index "deployment_status_index" on "deployment" ("status")`);
    this.addSql(
      `alter table "deployment" add constraint "deployment_status_check" check ("status" in ('success', 'deleting'))`,
    );
    this.addSql(`
      create table "idempotency_record" (
        "scope" text not null,
        "key" text not null,
        "fingerprint" bytea not null,
        "response" bytea not null,
        "created" timestamptz(3) not null,
        primary key ("scope", "key")
      )`);
    this.addSql(`create index "idempotency_record_created_index" on "idempotency_record" ("created")`);
    this.addSql(`
      create table "issued_id" (
        "id" text not null,
        primary key ("id")
      )`);
    this.addSql(`
      create table "manifest" (
        "deployment_id" text not null,
        "paths" text[] not null,
        "hashes" bytea not null,
        "sizes" bigint[] not null,
        primary key ("deployment_id")
      )`);
    this.addSql(`
      create table "member" (
        "id" bigserial primary key,
        "account_id" text not null,
        "email" text not null,
        "role" text not null,
        "created" timestamptz(3) not null
      )`);
    this.addSql(`alter table "member" add constraint "member_account_email_unique" unique ("account_id", "email")`);
    this.addSql(`alter table "member" add constraint "member_role_check" check ("role" in ('owner', 'member'))`);
    this.addSql(`
      create table "pack" (
        "id" uuid not null,
        "state" text not null,
        "size" bigint not null default '0',
        "boot_id" text not null,
        "created" timestamptz(3) not null,
        "sealed" timestamptz(3) null,
        primary key ("id")
      )`);
    this.addSql(`create index "pack_state_index" on "pack" ("state")`);
    this.addSql(`alter table "pack" add constraint "pack_state_check" check ("state" in ('open', 'sealed', 'dead'))`);
    this.addSql(`
      create table "deployment_pack" (
        "deployment_id" text not null,
        "pack_id" uuid not null,
        primary key ("deployment_id", "pack_id")
      )`);
    this.addSql(`create index "deployment_pack_pack_id_index" on "deployment_pack" ("pack_id")`);
    this.addSql(`
      create table "content" (
        "hash" bytea not null,
        "pack_id" uuid not null,
        "offset" bigint not null,
        "length" bigint not null,
        primary key ("hash")
      )`);
    this.addSql(`create index "content_pack_id_index" on "content" ("pack_id")`);
    this.addSql(`
      create table "token" (
        "id" bigserial primary key,
        "account_id" text not null,
        "token" text not null,
        "kind" text not null,
        "secret_hash" bytea not null,
        "last4" text not null,
        "labels" text[] not null,
        "created" timestamptz(3) not null,
        "expires" timestamptz(3) null,
        "used" timestamptz(3) null
      )`);
    this.addSql(`alter table "token" add constraint "token_secret_hash_unique" unique ("secret_hash")`);
    this.addSql(`alter table "token" add constraint "token_account_token_unique" unique ("account_id", "token")`);
    this.addSql(`alter table "token" add constraint "token_kind_check" check ("kind" in ('api', 'deploy'))`);
    this.addSql(
      `alter table "activity" add constraint "activity_account_id_foreign" foreign key ("account_id") references "account" ("id") on delete cascade`,
    );
    this.addSql(
      `alter table "deployment" add constraint "deployment_account_id_foreign" foreign key ("account_id") references "account" ("id") on delete restrict`,
    );
    this.addSql(
      `alter table "manifest" add constraint "manifest_deployment_id_foreign" foreign key ("deployment_id") references "deployment" ("id") on update cascade on delete cascade`,
    );
    this.addSql(
      `alter table "member" add constraint "member_account_id_foreign" foreign key ("account_id") references "account" ("id") on delete cascade`,
    );
    this.addSql(
      `alter table "pack" add constraint "pack_boot_id_foreign" foreign key ("boot_id") references "boot" ("id")`,
    );
    this.addSql(
      `alter table "deployment_pack" add constraint "deployment_pack_deployment_id_foreign" foreign key ("deployment_id") references "deployment" ("id") on update cascade on delete cascade`,
    );
    this.addSql(
      `alter table "deployment_pack" add constraint "deployment_pack_pack_id_foreign" foreign key ("pack_id") references "pack" ("id") on update cascade on delete restrict`,
    );
    this.addSql(
      `alter table "token" add constraint "token_account_id_foreign" foreign key ("account_id") references "account" ("id") on delete cascade`,
    );
    // Compression of hashes saves nothing, and would cost more than writing the rest of the row.
    this.addSql(`alter table "manifest" alter column "hashes" set storage external`);
    this.addSql(`
      create function keep_needed_pack() returns trigger language plpgsql as $$
      begin
        if exists (select 1 from content where pack_id = old.id) then
          raise foreign_key_violation using message = 'pack ' || old.id || ' still holds contents';
        end if;
        return case when tg_op = 'DELETE' then old else new end;
      end $$`);
    this.addSql(
      `create trigger "pack_keep_needed" before delete on "pack" for each row execute function keep_needed_pack()`,
    );
    this.addSql(`
      create trigger "pack_keep_needed_alive" before update of "state" on "pack"
      for each row when (new.state = 'dead') execute function keep_needed_pack()`);
  }
}
