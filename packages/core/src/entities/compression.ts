import { defineEntity, p } from '@mikro-orm/core';
import { Content } from './content.ts';
import { Pack } from './pack.ts';

/** A compressed form of a content, as its row keeps it. `sha256` of the form's own bytes, in hex; `offset` and `length` in bytes. */
export interface CompressedForm {
  offset: number;
  length: number;
  sha256: string;
}

const CompressionSchema = defineEntity({
  name: 'Compression',
  tableName: 'compression',
  properties: {
    content: () => p.oneToOne(Content).primary().deleteRule('cascade').owner().fieldName('content_hash'),
    /** Where the forms lie; `null` when none was worth keeping. */
    pack: () => p.manyToOne(Pack).nullable().deleteRule('restrict').index('compression_pack_id_index'),
    /** The forms that were worth keeping. */
    forms: p.json<Partial<Record<'br' | 'zstd' | 'gzip', CompressedForm>>>(),
  },
});

/** What came of compressing a content, once for all sites that have it. Source: serving S48. */
export class Compression extends CompressionSchema.class {}
CompressionSchema.setClass(Compression);
