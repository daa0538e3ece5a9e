import { defineEntity, type InferEntity, p } from '@mikro-orm/core';

/**
 * The level of one token bucket, which all processes share. Only the key has an index, so that a request updates the row in its
 * page. Source: api §7.
 */
export const RateBucket = defineEntity({
  name: 'RateBucket',
  properties: {
    /** The name of the limit and the client that it applies to, such as `deploy:<credential>`. */
    key: p.text().primary(),
    /** When the bucket will be full again. */
    full: p.datetime(6),
    /** Whether the last request was allowed. */
    taken: p.boolean(),
  },
});
export type RateBucket = InferEntity<typeof RateBucket>;
