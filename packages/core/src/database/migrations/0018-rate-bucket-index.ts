import { Migration } from '@mikro-orm/migrations';

/** Removes the index of a column that every request changes. Without it, a row of a rate limit is updated in its page. */
export class Migration0018 extends Migration {
  static readonly compatibleSince = 4;
  override name = '0018-rate-bucket-index';

  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.addSql(`drop index concurrently if exists "rate_bucket_full_index"`);
  }
}
