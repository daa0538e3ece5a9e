import { defineEntity, p } from '@mikro-orm/core';

export const BootSchema = defineEntity({
  name: 'Boot',
  tableName: 'boot',
  properties: {
    id: p.text().primary(),
    started: p.datetime(3),
    heartbeat: p.datetime(3),
  },
});

/** One start of a server process. When its heartbeat stops, its open packs are abandoned. Source: storage W4. */
export class Boot extends BootSchema.class {}
BootSchema.setClass(Boot);

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

/** The place and hash of one compressed form. `sha256` of the compressed bytes, in hex; `offset` and `length` in bytes. */
export interface CompressedForm {
  offset: number;
  length: number;
  sha256: string;
}

export const CompressionSchema = defineEntity({
  name: 'Compression',
  tableName: 'compression',
  properties: {
    content: () => p.oneToOne(Content).primary().deleteRule('cascade').owner().fieldName('content_hash'),
    /** The pack with the forms; `null` if none was worth keeping. */
    pack: () => p.manyToOne(Pack).nullable().deleteRule('restrict').index('compression_pack_id_index'),
    /** The forms that were worth keeping. */
    forms: p.json<Partial<Record<'br' | 'zstd' | 'gzip', CompressedForm>>>(),
  },
});

/** The result of compressing a content, shared by all sites that have it. Source: serving S48. */
export class Compression extends CompressionSchema.class {}
CompressionSchema.setClass(Compression);
