import { defineEntity, type InferEntity, p } from '@mikro-orm/core';

/** The stored response to a deploy with an idempotency key. Source: api §3; security T25. */
export const IdempotencyRecord = defineEntity({
  name: 'IdempotencyRecord',
  properties: {
    /** The credential or the client address that sent the key. */
    scope: p.text().primary(),
    key: p.text().primary(),
    /** The digest of the request. A request with the same key and another digest is rejected. */
    fingerprint: p.blob(),
    /** The body of the 201, encrypted because it may contain a claim hash. */
    response: p.blob(),
    created: p.datetime(3).index('idempotency_record_created_index'),
  },
});
export type IdempotencyRecord = InferEntity<typeof IdempotencyRecord>;
