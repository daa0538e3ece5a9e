import { defineEntity, p } from '@mikro-orm/core';
import { Content } from './content.ts';
import { Pack } from './pack.ts';

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
