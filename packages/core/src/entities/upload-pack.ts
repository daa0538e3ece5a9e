import { defineEntity, p } from '@mikro-orm/core';
import { Pack } from './pack.ts';
import { Upload } from './upload.ts';

export const UploadPackSchema = defineEntity({
  name: 'UploadPack',
  tableName: 'upload_pack',
  properties: {
    upload: () => p.manyToOne(Upload).primary().deleteRule('cascade').fieldName('upload_hash'),
    pack: () => p.manyToOne(Pack).primary().deleteRule('restrict').index('upload_pack_pack_id_index'),
  },
});

/** The packs that an upload needs: those with contents it added, and those with contents its client did not have to send. Source: storage P10. */
export class UploadPack extends UploadPackSchema.class {}
UploadPackSchema.setClass(UploadPack);
