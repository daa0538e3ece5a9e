import { defineEntity, type InferEntity, p } from '@mikro-orm/core';

/** The right of one process to do some work. It ends at `until`, by the clock of the database, unless it is renewed. Source: storage §11. */
export const Lease = defineEntity({
  name: 'Lease',
  properties: {
    name: p.text().primary(),
    /** The boot of the process. */
    holder: p.text(),
    /** Grows with each change of the holder, so that a former holder is recognised. */
    term: p.bigint('number'),
    until: p.datetime(6),
  },
});
export type Lease = InferEntity<typeof Lease>;
