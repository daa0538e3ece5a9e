import { defineEntity, p } from '@mikro-orm/core';
import { Account } from './account.ts';
import { TextArray } from './text-array.ts';
import { Pack } from './pack.ts';

export const UploadSchema = defineEntity({
  name: 'Upload',
  tableName: 'upload',
  properties: {
    /** SHA-256 of the upload's secret name, which only its client knows. */
    hash: p.blob().primary(),
    /** The owner; `null` for an anonymous upload. */
    account: () => p.manyToOne(Account).nullable().deleteRule('restrict'),
    /** The client address of an anonymous upload; IPv6 truncated to its /64. */
    address: p.text().nullable().index('upload_address_index'),
    /** The identifier of the credential that began it; `null` for an anonymous upload. */
    token: p.text().nullable(),
    /** A digest of the request. The same idempotency key with another request is rejected. */
    fingerprint: p.blob(),
    /** The files to publish, as in a manifest: paths, their SHA-256 with 32 bytes each, and their sizes. */
    paths: p.type(TextArray),
    hashes: p.blob(),
    sizes: p.array<number>().columnType('bigint[]'),
    /** The missing contents that the client must send, each once, and their lengths. */
    asked: p.blob(),
    lengths: p.array<number>().columnType('bigint[]'),
    labels: p.type(TextArray),
    via: p.text(),
    /** Password hash as a PHC string; `null` for a public site. */
    passwordHash: p.text().nullable(),
    /** Lifetime of the deployment in seconds; `null` for a permanent one. */
    ttl: p.integer().nullable(),
    created: p.datetime(3),
    /** When its client was last active. */
    touched: p.datetime(3),
    /** When it is deleted. Until then it can be committed, and the commit can be retried. */
    expires: p.datetime(3).index('upload_expires_index'),
    /** When it was committed. From then on its files and contents belong to the deployment. */
    committed: p.datetime(3).nullable(),
  },
  indexes: [{ name: 'upload_account_created_index', properties: ['account', 'created'] }],
});

/** A delta upload from its beginning to its commit. Source: api §9; storage P10. */
export class Upload extends UploadSchema.class {}
UploadSchema.setClass(Upload);

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
