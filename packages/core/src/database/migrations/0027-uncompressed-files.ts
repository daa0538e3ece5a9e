import { Migration } from '@mikro-orm/migrations';

/** Stores the files of new manifests and uploads uncompressed: compressing 10,000 paths takes longer than writing them. */
export class Migration0027 extends Migration {
  static readonly compatibleSince = 4;
  override name = '0027-uncompressed-files';

  override up(): void {
    for (const table of ['manifest', 'upload'])
      for (const column of ['paths', 'hashes', 'sizes'])
        this.addSql(`alter table "${table}" alter column "${column}" set storage external`);
  }
}
