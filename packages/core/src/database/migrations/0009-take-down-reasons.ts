import { Migration } from '@mikro-orm/migrations';

/** Adds the reason of a take-down to the deployment, and an index of the labels of deployments. */
export class Migration0009 extends Migration {
  static readonly compatibleSince = 4;
  override name = '0009-take-down-reasons';

  override up(): void {
    this.addSql(`alter table "deployment" add column "take_down_reason" text null`);
    this.addSql(`
      update "deployment" d set "take_down_reason" = a."reason"
      from (
        select distinct on ("account_id", "deployment") "account_id", "deployment", "meta"->>'reason' as "reason"
        from "activity" where "event" = 'deployment.update' and "meta"->>'takenDown' = 'true'
        order by "account_id", "deployment", "id" desc
      ) a
      where d."taken_down" is not null and d."account_id" = a."account_id" and d."id" = a."deployment"`);
    this.addSql(`create index "deployment_labels_index" on "deployment" using gin ("labels")`);
  }
}
