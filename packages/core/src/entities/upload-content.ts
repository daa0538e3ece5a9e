import { defineEntity, p } from '@mikro-orm/core';
import { Upload } from './upload.ts';

export const UploadContentSchema = defineEntity({
  name: 'UploadContent',
  tableName: 'upload_content',
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    upload: () =>
      p.manyToOne(Upload).deleteRule('cascade').fieldName('upload_hash').index('upload_content_upload_hash_index'),
    /** The SHA-256 of the contents, 32 bytes each. */
    hashes: p.blob(),
    /** Their lengths in bytes, in the same order. */
    lengths: p.array<number>().columnType('bigint[]'),
  },
});

/** The contents that one request added to an upload. Source: api §9. */
export class UploadContent extends UploadContentSchema.class {}
UploadContentSchema.setClass(UploadContent);
