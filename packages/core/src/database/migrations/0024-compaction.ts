import { Migration } from '@mikro-orm/migrations';

/** Adds the packs whose contents may mostly be unneeded, so that the sweep can rewrite them. */
export class Migration0024 extends Migration {
  static readonly compatibleSince = 4;
  override name = '0024-compaction';

  override up(): void {
    this.addSql(`
      create table "compaction_candidate" (
        "pack_id" uuid not null,
        "due" timestamptz(6) not null,
        primary key ("pack_id")
      )`);
    this.addSql(`create index "compaction_candidate_due_index" on "compaction_candidate" ("due")`);
  }
}
