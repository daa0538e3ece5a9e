import { defineEntity, p } from '@mikro-orm/core';
import { Boot } from './boot.ts';

export const PackSchema = defineEntity({
  name: 'Pack',
  tableName: 'pack',
  properties: {
    /** Random and never reused; also the name in the pack store. */
    id: p.uuid().primary(),
    /** `open` while its boot writes it, `sealed` once it is durable and referenced, `dead` once it may be removed. */
    state: p.enum(['open', 'sealed', 'dead'] as const),
    size: p.bigint('number').default(0),
    boot: () => p.manyToOne(Boot),
    created: p.datetime(3),
    sealed: p.datetime(3).nullable(),
  },
  indexes: [{ name: 'pack_state_index', properties: ['state'] }],
});

/** A file of contents in the pack store. The row is written before the file and deleted after it. Source: storage §1. */
export class Pack extends PackSchema.class {}
PackSchema.setClass(Pack);
