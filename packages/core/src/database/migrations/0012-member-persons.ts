import { Migration } from '@mikro-orm/migrations';

/** Adds the index that finds the memberships of a person. */
export class Migration0012 extends Migration {
  static readonly compatibleSince = 4;
  override name = '0012-member-persons';

  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.addSql(`create index concurrently if not exists "member_person_id_index" on "member" ("person_id")`);
  }
}
