import { defineEntity, p } from '@mikro-orm/core';

export const IdempotencyRecordSchema = defineEntity({
  name: 'IdempotencyRecord',
  tableName: 'idempotency_record',
  properties: {
    /** Who sent the key: a credential, or a client address. */
    scope: p.text().primary(),
    key: p.text().primary(),
    /** A digest of the request. The same key with another request is rejected. */
    fingerprint: p.blob(),
    /** The 201 body, encrypted because it may contain a claim hash. */
    response: p.blob(),
    created: p.datetime(3).index('idempotency_record_created_index'),
  },
});

/** The stored response to a deploy with an idempotency key. Source: api §3; security T25. */
export class IdempotencyRecord extends IdempotencyRecordSchema.class {}
IdempotencyRecordSchema.setClass(IdempotencyRecord);
