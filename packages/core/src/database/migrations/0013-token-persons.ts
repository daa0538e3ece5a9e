import { Migration } from '@mikro-orm/migrations';

/**
 * Lets credentials end with the person who made them. Without a person, they would act as the owner of the account.
 */
export class Migration0013 extends Migration {
  static readonly compatibleSince = 4;
  override name = '0013-token-persons';

  override up(): void {
    this.addSql(`alter table "token" drop constraint "token_person_id_foreign"`);
    this.addSql(
      `alter table "token" add constraint "token_person_id_foreign" foreign key ("person_id") references "person" ("id") on delete cascade not valid`,
    );
  }
}
