import { defineEntity, p } from '@mikro-orm/core';
import { Pack } from './pack.ts';

const ContentSchema = defineEntity({
  name: 'Content',
  tableName: 'content',
  properties: {
    /** SHA-256 of the bytes. */
    hash: p.blob().primary(),
    /** Guarded by a trigger on `pack`, not by a foreign key: checking each of 10,000 rows would cost as much as writing them. */
    pack: () => p.manyToOne(Pack).index('content_pack_id_index').createForeignKeyConstraint(false),
    offset: p.bigint('number'),
    length: p.bigint('number'),
  },
});

/** Where the bytes of one hash lie. Equal contents are stored once. Source: security §5. */
export class Content extends ContentSchema.class {}
ContentSchema.setClass(Content);
