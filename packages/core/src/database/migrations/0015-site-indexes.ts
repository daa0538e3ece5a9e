import { Migration } from '@mikro-orm/migrations';

/** Adds the indexes that find a page of the sites of an account without reading all its domains and versions. */
export class Migration0015 extends Migration {
  static readonly compatibleSince = 4;
  override name = '0015-site-indexes';

  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.addSql(
      `create index concurrently if not exists "domain_account_changed_name_index" on "domain" ("account_id", (coalesce("linked", "created")), "name")`,
    );
    this.addSql(
      `create index concurrently if not exists "domain_version_deployment_index" on "domain_version" ("deployment")`,
    );
  }
}
