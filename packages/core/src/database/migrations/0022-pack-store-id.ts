import { Migration } from '@mikro-orm/migrations';

/** Adds the id that an object store must have, so that no installation uses the store of another one. */
export class Migration0022 extends Migration {
  static readonly compatibleSince = 4;
  override name = '0022-pack-store-id';

  override up(): void {
    this.addSql(`
      create table "pack_store_id" (
        "store" text not null,
        "id" uuid not null,
        primary key ("store")
      )`);
  }
}
