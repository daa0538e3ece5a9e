import { Migration } from '@mikro-orm/migrations';

/** Adds the index that finds the activities of an account by event and cause, without reading those that do not match. */
export class Migration0019 extends Migration {
  static readonly compatibleSince = 4;
  override name = '0019-activity-filters';

  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.addSql(
      `create index concurrently if not exists "activity_filter_index" on "activity" ("account_id", "event", "auth_method", "id")`,
    );
  }
}
