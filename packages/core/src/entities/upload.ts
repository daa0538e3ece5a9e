import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { Account } from './account.ts';
import { TextArray } from './text-array.ts';
import { Pack } from './pack.ts';

/** A delta upload from its beginning to its commit. Source: api §9; storage P10. */
export const Upload = defineEntity({
  name: 'Upload',
  properties: {
    /** The SHA-256 of the secret id of the upload, which only its client knows. */
    hash: p.blob().primary(),
    /** The owner; `null` for an anonymous upload. */
    account: () => p.manyToOne(Account).nullable().deleteRule('restrict'),
    /** The client address of an anonymous upload, with IPv6 cut to its /64. */
    address: p.text().nullable().index('upload_address_index'),
    /** The id of the credential that began the upload; `null` for an anonymous upload. */
    token: p.text().nullable(),
    /** The digest of the request. A request with the same idempotency key and another digest is rejected. */
    fingerprint: p.blob(),
    /** The paths of the files to publish. `hashes` and `sizes` are in the same order, as in a manifest. */
    paths: p.type(TextArray),
    hashes: p.blob(),
    sizes: p.array<number>().columnType('bigint[]'),
    /** The SHA-256 of each missing content that the client must send. `lengths` is in the same order. */
    asked: p.blob(),
    lengths: p.array<number>().columnType('bigint[]'),
    labels: p.type(TextArray),
    via: p.text(),
    /** The password hash as a PHC string; `null` for a public site. */
    passwordHash: p.text().nullable(),
    /** The lifetime of the deployment in seconds; `null` for a permanent deployment. */
    ttl: p.integer().nullable(),
    /** The normalised name of the domain to point at the deployment; `null` for none. */
    domain: p.text().nullable(),
    /** How many versions of the domain to keep; `null` for all. */
    keep: p.integer().nullable(),
    /** Whether the deployment gets the password of the deployment that the domain shows at the commit, if that has one. */
    inheritsPassword: p.boolean().default(false),
    created: p.datetime(3),
    /** When the client of the upload was last active. */
    touched: p.datetime(3),
    /** When the upload is deleted. Until this time, it can be committed, and the commit can be repeated. */
    expires: p.datetime(3).index('upload_expires_index'),
    /** When the upload was committed. The deployment then owns the files and contents of the upload. */
    committed: p.datetime(3).nullable(),
  },
  indexes: [{ name: 'upload_account_created_index', properties: ['account', 'created'] }],
});
export type Upload = InferEntity<typeof Upload>;

/** The contents that one request added to an upload. Source: api §9. */
export const UploadContent = defineEntity({
  name: 'UploadContent',
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    upload: () =>
      p.manyToOne(Upload).deleteRule('cascade').fieldName('upload_hash').index('upload_content_upload_hash_index'),
    /** The SHA-256 of each content, 32 bytes each. */
    hashes: p.blob(),
    /** The length of each content in bytes, in the order of `hashes`. */
    lengths: p.array<number>().columnType('bigint[]'),
  },
});
export type UploadContent = InferEntity<typeof UploadContent>;

/** A pack with contents that an upload added, or that its client did not have to send. Source: storage P10. */
export const UploadPack = defineEntity({
  name: 'UploadPack',
  properties: {
    upload: () => p.manyToOne(Upload).primary().deleteRule('cascade').fieldName('upload_hash'),
    pack: () => p.manyToOne(Pack).primary().deleteRule('restrict').index('upload_pack_pack_id_index'),
  },
});
export type UploadPack = InferEntity<typeof UploadPack>;
