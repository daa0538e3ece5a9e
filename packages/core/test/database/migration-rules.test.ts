import { describe, expect, it } from 'vitest';
import { migrations } from '../../src/database/migrations/index.ts';
import { faultsOf, RELEASED_SCHEMA } from './migration-rules.ts';
import { sampleMigration } from '@berth/testing/sample-migration';

const numberOf = ({ name }: { name: string }) => Number(name.slice(-4));
const unreleased = migrations.filter((migration) => numberOf(migration) > RELEASED_SCHEMA);
const outside = { transactional: false };

describe('scale B10: migrations after the last release let the programs of that release run', () => {
  it.each(unreleased.map((migration) => [migration.name, migration] as const))('%s', async (_, migration) => {
    expect(await faultsOf(migration)).toEqual([]);
  });

  it('and have ascending numbers', () => {
    const numbers = migrations.map(numberOf);
    expect(numbers).toEqual([...new Set(numbers)].toSorted((a, b) => a - b));
  });
});

describe('the rules for migrations allow', () => {
  it.each([
    ['alter table "account" add column "motto" text null'],
    [`alter table "account" add column "motto" text not null default '', add column "seats" int not null default 1`],
    [
      `alter table "account" add column "labels" text[] not null default '{}', add column "at" timestamptz not null default now()`,
    ],
    [`alter table "account" add constraint "account_seats_check" check ("seats" > 0) not valid`],
    ['alter table "account" validate constraint "account_seats_check"'],
    ['alter table "account" add constraint "account_motto_unique" unique using index "account_motto_unique"'],
    ['create or replace function f() returns trigger language plpgsql as $$ begin return null; end $$'],
    ['create trigger "t" after insert on "account" for each row execute function f()'],
    ['update "migration" set "berth_version" = null'],
  ])('%s', async (statement) => {
    expect(await faultsOf(sampleMigration('0901-good', [statement]))).toEqual([]);
  });

  it('a new table with rows and indexes', async () => {
    const statements = [
      'create table "flag" ("id" text not null, "deployment_id" text references "deployment" ("id"), primary key ("id"))',
      'create index "flag_deployment_id_index" on "flag" ("deployment_id")',
      'insert into "flag" ("id") select "id" from "account"',
    ];
    expect(await faultsOf(sampleMigration('0901-good', statements))).toEqual([]);
  });

  it('indexes that are created and dropped concurrently, outside of a transaction', async () => {
    const statements = [
      'create unique index concurrently if not exists "content_pack_index" on "content" ("pack_id")',
      'drop index concurrently if exists "content_pack_id_index"',
    ];
    expect(await faultsOf(sampleMigration('0901-good', statements, outside))).toEqual([]);
  });

  it('a removal after a release that no longer uses what is removed', async () => {
    const contract = sampleMigration('0901-good', ['alter table "account" drop column "name"'], { compatibleSince: 9 });
    expect(await faultsOf(contract)).toEqual([]);
  });
});

describe('the rules for migrations refuse, with advice,', () => {
  it.each([
    ['create index "i" on "content" ("pack_id")', /blocks every write.*create index concurrently/],
    ['create index concurrently if not exists "i" on "content" ("pack_id")', /blocks every write.*isTransactional/],
    ['drop index "content_pack_id_index"', /drop index concurrently if exists/],
    ['alter table "account" add column "seats" int not null', /Give it a default, or allow null/],
    ['alter table "account" add column "key" uuid default gen_random_uuid()', /rewrites the table/],
    ['alter table "account" add column "key" bigserial', /rewrites the table/],
    ['alter table "account" add column "n" int generated always as (1) stored', /rewrites the table/],
    ['alter table "content" alter column "length" type numeric', /rewrites the table/],
    ['alter table "account" add column "motto" text unique', /create index concurrently/],
    ['alter table "account" add column "parent" text references "account" ("id")', /"not valid", and validate/],
    ['alter table "account" add constraint "c" check ("name" is not null)', /"not valid", and validate/],
    ['alter table "account" add constraint "u" unique ("name")', /"not valid", and validate/],
    ['alter table "account" alter column "name" set not null', /check \(… is not null\) not valid/],
    ['alter table "account" set unlogged', /not known to be fast/],
    ['alter table "account" rename column "name" to "title"', /use the old name/],
    ['alter table "account" rename to "customer"', /use the old name/],
    ['alter table "account" drop column "name"', /Stop using it in one release/],
    ['drop table "plan_change"', /Stop using it in one release/],
    ['lock table "account"', /stops all programs/],
    [`update "deployment" set "via" = 'api'`, /in batches/],
    ['delete from "activity"', /in batches/],
    ['truncate "activity"', /not known to be fast/],
    ['do $$ begin lock table account; end $$', /not known to be fast/],
    ['create table "copy" as select * from "content"', /not known to be fast/],
  ])('%s', async (statement, advice) => {
    expect(await faultsOf(sampleMigration('0901-bad', [statement]))).toEqual([expect.stringMatching(advice)]);
  });

  it('an index that a second attempt cannot create again', async () => {
    const statement = 'create index concurrently "i" on "content" ("pack_id")';
    expect(await faultsOf(sampleMigration('0901-bad', [statement], outside))).toHaveLength(1);
  });

  it('other statements outside of a transaction', async () => {
    const statement = 'alter table "account" add column "motto" text null';
    expect(await faultsOf(sampleMigration('0901-bad', [statement], outside))).toEqual([
      expect.stringContaining('may run twice or half'),
    ]);
  });

  it.each([
    ['no declared compatibility', null],
    ['a compatibility that excludes the last release', RELEASED_SCHEMA + 1],
  ])('%s', async (_, compatibleSince) => {
    const migration = sampleMigration('0901-bad', [], { compatibleSince });
    expect(await faultsOf(migration)).toEqual([
      expect.stringContaining('must declare a `compatibleSince` of at most 9'),
    ]);
  });

  it('a statement that PostgreSQL cannot parse', async () => {
    await expect(faultsOf(sampleMigration('0901-bad', ['alter table']))).rejects.toThrow(/syntax error/);
  });
});
