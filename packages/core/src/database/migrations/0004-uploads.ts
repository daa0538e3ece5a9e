import { Migration } from '@mikro-orm/migrations';

/** Creates the tables of delta uploads, of their received contents and of the packs that they need. */
export class Migration0004 extends Migration {
  override name = '0004-uploads';

  override up(): void {
    this.addSql(`
      create table "upload" (
        "hash" bytea not null,
        "account_id" text null,
        "address" text null,
        "fingerprint" bytea not null,
        "paths" text[] not null,
        "hashes" bytea not null,
        "sizes" bigint[] not null,
        "asked" bytea not null,
        "lengths" bigint[] not null,
        "labels" text[] not null,
        "via" text not null,
        "password_hash" text null,
        "ttl" int null,
        "created" timestamptz(3) not null,
        "expires" timestamptz(3) not null,
        "committed" timestamptz(3) null,
        primary key ("hash")
      )`);
    this.addSql(`create index "upload_account_created_index" on "upload" ("account_id", "created")`);
    this.addSql(`create index "upload_expires_index" on "upload" ("expires")`);
    this.addSql(`
      create table "upload_pack" (
        "upload_hash" bytea not null,
        "pack_id" uuid not null,
        primary key ("upload_hash", "pack_id")
      )`);
    this.addSql(`create index "upload_pack_pack_id_index" on "upload_pack" ("pack_id")`);
    this.addSql(`
      create table "upload_content" (
        "id" bigserial primary key,
        "upload_hash" bytea not null,
        "hashes" bytea not null,
        "lengths" bigint[] not null
      )`);
    this.addSql(`create index "upload_content_upload_hash_index" on "upload_content" ("upload_hash")`);
    this.addSql(
      `alter table "upload" add constraint "upload_account_id_foreign" foreign key ("account_id") references "account" ("id") on delete restrict`,
    );
    this.addSql(
      `alter table "upload_pack" add constraint "upload_pack_upload_hash_foreign" foreign key ("upload_hash") references "upload" ("hash") on update cascade on delete cascade`,
    );
    this.addSql(
      `alter table "upload_pack" add constraint "upload_pack_pack_id_foreign" foreign key ("pack_id") references "pack" ("id") on update cascade on delete restrict`,
    );
    this.addSql(
      `alter table "upload_content" add constraint "upload_content_upload_hash_foreign" foreign key ("upload_hash") references "upload" ("hash") on delete cascade`,
    );
  }
}
