import { defineEntity, type InferEntity, p } from '@mikro-orm/core';

/** One start of a server process. The open packs of a process are abandoned when its heartbeat stops. Source: storage W4. */
export const Boot = defineEntity({
  name: 'Boot',
  properties: {
    id: p.text().primary(),
    started: p.datetime(3),
    heartbeat: p.datetime(3),
    /** Whether the process reads the change log. A process of an earlier release needs notifications. Source: storage §12. */
    readsChanges: p.boolean().default(false),
  },
});
export type Boot = InferEntity<typeof Boot>;

/** A file of contents in the pack store. The row is written before the file and deleted after the file. Source: storage §1. */
export const Pack = defineEntity({
  name: 'Pack',
  properties: {
    /** The random id, which is also the name of the pack in the store. Ids are never reused. */
    id: p.uuid().primary(),
    /** `open` while a process writes the pack, `sealed` once the pack is durable, `dead` once it may be removed. */
    state: p.enum(['open', 'sealed', 'dead'] as const).index('pack_state_index'),
    size: p.bigint('number').default(0),
    boot: () => p.manyToOne(Boot),
    created: p.datetime(3),
    sealed: p.datetime(3).nullable(),
  },
});
export type Pack = InferEntity<typeof Pack>;

/**
 * The end of a reference to a pack, recorded by triggers. The newest row of a pack says since when nothing may refer to it.
 * Source: storage W2.
 */
export const PackSuspect = defineEntity({
  name: 'PackSuspect',
  properties: {
    /** Without a foreign key, whose check would lock the pack. */
    packId: p.uuid().primary(),
    /** By the clock of the database. */
    since: p.datetime(6).primary().index('pack_suspect_since_index'),
  },
});
export type PackSuspect = InferEntity<typeof PackSuspect>;

/**
 * A pack of which a reference has ended while others remain, so that most of its contents may be unneeded. Source: storage C1.
 */
export const CompactionCandidate = defineEntity({
  name: 'CompactionCandidate',
  properties: {
    /** Without a foreign key, whose check would lock the pack. */
    packId: p.uuid().primary(),
    /** When to examine the pack, by the clock of the database. */
    due: p.datetime(6).index('compaction_candidate_due_index'),
  },
});
export type CompactionCandidate = InferEntity<typeof CompactionCandidate>;

/** The location of the bytes with one hash. Equal contents are stored once. Source: storage §1. */
export const Content = defineEntity({
  name: 'Content',
  properties: {
    hash: p.blob().primary(),
    /** The pack with the bytes. A trigger on `pack` replaces the foreign key, whose check would cost as much as writing the rows. */
    pack: () => p.manyToOne(Pack).index('content_pack_id_index').createForeignKeyConstraint(false),
    offset: p.bigint('number'),
    length: p.bigint('number'),
  },
});
export type Content = InferEntity<typeof Content>;

/** The location of one compressed form in bytes, and the SHA-256 of the compressed bytes in hex. */
export interface CompressedForm {
  offset: number;
  length: number;
  sha256: string;
}

/** The result of compressing a content, shared by all sites that have it. Source: serving S48. */
export const Compression = defineEntity({
  name: 'Compression',
  properties: {
    content: () => p.oneToOne(Content).primary().deleteRule('cascade').owner().fieldName('content_hash'),
    /** The pack with the forms; `null` if no form is smaller than the content. */
    pack: () => p.manyToOne(Pack).nullable().deleteRule('restrict').index('compression_pack_id_index'),
    forms: p.json<Partial<Record<'br' | 'zstd' | 'gzip', CompressedForm>>>(),
  },
});
export type Compression = InferEntity<typeof Compression>;

/** The id of the object store with the packs of this database. There is at most one row. Source: storage §13. */
export const PackStoreId = defineEntity({
  name: 'PackStoreId',
  properties: {
    store: p.text().primary(),
    id: p.uuid(),
  },
});
