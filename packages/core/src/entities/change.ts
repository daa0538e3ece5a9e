import { defineEntity, type InferEntity, p } from '@mikro-orm/core';

/** A change that processes must know of, written by triggers in the transaction of the change. Source: storage §12. */
export const Change = defineEntity({
  name: 'Change',
  properties: {
    /** The number of the transaction. */
    xid: p.string().columnType('xid8').primary().defaultRaw('pg_current_xact_id()'),
    kind: p.text().primary(),
    /** The id of the changed row, or its account for an activity, or the name of a domain. */
    key: p.text().primary(),
  },
});
export type Change = InferEntity<typeof Change>;

/** One row of an unlogged table, which is lost when numbers of transactions may be used again. Source: storage §12. */
export const ChangeEpoch = defineEntity({
  name: 'ChangeEpoch',
  properties: {
    id: p.smallint().primary().autoincrement(false),
    epoch: p.uuid(),
  },
});
export type ChangeEpoch = InferEntity<typeof ChangeEpoch>;
