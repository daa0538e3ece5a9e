import { defineEntity, p } from '@mikro-orm/core';
import { Pack } from './pack.ts';

export const ContentSchema = defineEntity({
  name: 'Content',
  tableName: 'content',
  properties: {
    /** SHA-256 of the bytes. */
    hash: p.blob().primary(),
    /** Protected by a trigger on `pack` instead of a foreign key: checking a key for each of 10,000 rows would cost as much as writing them. */
    pack: () => p.manyToOne(Pack).index('content_pack_id_index').createForeignKeyConstraint(false),
    offset: p.bigint('number'),
    length: p.bigint('number'),
  },
});

/** The location of the bytes with one hash. Equal contents are stored once. Source: storage §1. */
export class Content extends ContentSchema.class {}
ContentSchema.setClass(Content);
