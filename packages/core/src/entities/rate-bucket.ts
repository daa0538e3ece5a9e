import { defineEntity, p } from '@mikro-orm/core';

export const RateBucketSchema = defineEntity({
  name: 'RateBucket',
  tableName: 'rate_bucket',
  properties: {
    /** The limit and whom it applies to: `deploy:<credential>`. */
    key: p.text().primary(),
    /** When the bucket will be full again. */
    full: p.datetime(6).index('rate_bucket_full_index'),
    /** Whether the last request was allowed. */
    taken: p.boolean(),
  },
});

/** The level of one token bucket, shared by every process. Source: api §7. */
export class RateBucket extends RateBucketSchema.class {}
RateBucketSchema.setClass(RateBucket);
