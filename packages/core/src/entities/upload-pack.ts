import { defineEntity, p } from '@mikro-orm/core';
import { Pack } from './pack.ts';
import { Upload } from './upload.ts';

const UploadPackSchema = defineEntity({
  name: 'UploadPack',
  tableName: 'upload_pack',
  properties: {
    upload: () => p.manyToOne(Upload).primary().deleteRule('cascade').fieldName('upload_hash'),
    pack: () => p.manyToOne(Pack).primary().deleteRule('restrict').index('upload_pack_pack_id_index'),
  },
});

/** Which packs an upload needs: those of the contents it brought, and of those its client was spared. Source: security P10. */
export class UploadPack extends UploadPackSchema.class {}
UploadPackSchema.setClass(UploadPack);
