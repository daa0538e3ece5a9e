import { Migration } from '@mikro-orm/migrations';

const TABLES = [
  `create table "person" (
    "id" text not null,
    "email" text not null,
    "name" text null,
    "password_hash" text null,
    "created" timestamptz(3) not null,
    "verified" timestamptz(3) null,
    primary key ("id")
  )`,
  `create table "session" (
    "id" text not null,
    "secret_hash" bytea not null,
    "person_id" text not null,
    "account_id" text not null,
    "method" text not null,
    "created" timestamptz(3) not null,
    "seen" timestamptz(3) not null,
    "proved" timestamptz(3) not null,
    "expires" timestamptz(3) not null,
    "agent" text not null,
    "address" text not null,
    primary key ("id")
  )`,
  `create table "proof" (
    "secret_hash" bytea not null,
    "purpose" text not null,
    "person_id" text null,
    "session" text null,
    "email" text null,
    "code_hash" bytea null,
    "tries" int not null default 0,
    "back" text null,
    "created" timestamptz(3) not null,
    "expires" timestamptz(3) not null,
    primary key ("secret_hash")
  )`,
  `create table "passkey" (
    "id" text not null,
    "person_id" text not null,
    "public_key" bytea not null,
    "counter" bigint not null,
    "transports" text[] not null,
    "name" text not null,
    "created" timestamptz(3) not null,
    "used" timestamptz(3) null,
    primary key ("id")
  )`,
  `create table "identity" (
    "id" bigserial primary key,
    "person_id" text not null,
    "issuer" text not null,
    "subject" text not null,
    "created" timestamptz(3) not null,
    "used" timestamptz(3) not null
  )`,
  `create table "invite" (
    "id" text not null,
    "secret_hash" bytea not null,
    "account_id" text not null,
    "email" text null,
    "role" text not null,
    "created" timestamptz(3) not null,
    "expires" timestamptz(3) not null,
    primary key ("id")
  )`,
  `create table "device_grant" (
    "device_hash" bytea not null,
    "code_hash" bytea not null,
    "client" text not null,
    "address" text not null,
    "state" text not null default 'pending' check ("state" in ('pending', 'approved', 'denied')),
    "person_id" text null,
    "account_id" text null,
    "polled" timestamptz(3) null,
    "interval" int not null default 5,
    "created" timestamptz(3) not null,
    "expires" timestamptz(3) not null,
    primary key ("device_hash")
  )`,
];

const UNIQUES = [
  ['person', 'email'],
  ['session', 'secret_hash'],
  ['identity', 'issuer', 'subject'],
  ['invite', 'secret_hash'],
  ['device_grant', 'code_hash'],
] as const;

const INDEXES = [
  ['session', 'person_id'],
  ['session', 'account_id'],
  ['session', 'expires'],
  ['proof', 'person_id'],
  ['proof', 'expires'],
  ['passkey', 'person_id'],
  ['identity', 'person_id'],
  ['invite', 'account_id'],
  ['invite', 'expires'],
  ['device_grant', 'person_id'],
  ['device_grant', 'account_id'],
  ['device_grant', 'expires'],
] as const;

const FOREIGN_KEYS = [
  ['session', 'person', 'cascade'],
  ['session', 'account', 'cascade'],
  ['proof', 'person', 'cascade'],
  ['passkey', 'person', 'cascade'],
  ['identity', 'person', 'cascade'],
  ['invite', 'account', 'cascade'],
  ['device_grant', 'person', 'cascade'],
  ['device_grant', 'account', 'cascade'],
] as const;

/** Adds persons, their sessions and the ways in which they sign in, invitations and device grants. */
export class Migration0011 extends Migration {
  static readonly compatibleSince = 4;
  override name = '0011-sign-in';

  override up(): void {
    for (const table of TABLES) this.addSql(table);
    for (const [table, ...columns] of UNIQUES)
      this.addSql(
        `create unique index "${[table, ...columns].join('_')}_unique" on "${table}" (${columns.map((column) => `"${column}"`).join(', ')})`,
      );
    for (const [table, column] of INDEXES)
      this.addSql(`create index "${table}_${column}_index" on "${table}" ("${column}")`);
    for (const [table, target, rule] of FOREIGN_KEYS)
      this.addSql(
        `alter table "${table}" add constraint "${table}_${target}_id_foreign" foreign key ("${target}_id") references "${target}" ("id") on delete ${rule}`,
      );
    for (const table of ['member', 'token']) {
      this.addSql(`alter table "${table}" add column "person_id" text null`);
      this.addSql(
        `alter table "${table}" add constraint "${table}_person_id_foreign" foreign key ("person_id") references "person" ("id") on delete set null not valid`,
      );
    }
  }
}
