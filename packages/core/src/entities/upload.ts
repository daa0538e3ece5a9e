import { defineEntity, p } from '@mikro-orm/core';
import { Account } from './account.ts';
import { TextArray } from './text-array.ts';

const UploadSchema = defineEntity({
  name: 'Upload',
  tableName: 'upload',
  properties: {
    /** SHA-256 of its name, which only its client knows. */
    hash: p.blob().primary(),
    /** Whose it is; `null` for an anonymous one. */
    account: () => p.manyToOne(Account).nullable().deleteRule('restrict'),
    /** The address of the client of an anonymous one; IPv6 cut to its /64. */
    address: p.text().nullable().index('upload_address_index'),
    /** The identifier of the credential that began it; `null` for an anonymous one. */
    token: p.text().nullable(),
    /** What was asked for, so that its idempotency key with something else is refused. */
    fingerprint: p.blob(),
    /** The files it will publish, as a manifest has them: paths, their SHA-256, 32 bytes each, and their sizes. */
    paths: p.type(TextArray),
    hashes: p.blob(),
    sizes: p.array<number>().columnType('bigint[]'),
    /** The contents that the client was asked for, each once, and their lengths. */
    asked: p.blob(),
    lengths: p.array<number>().columnType('bigint[]'),
    labels: p.type(TextArray),
    via: p.text(),
    /** PHC string; `null` for a public site. */
    passwordHash: p.text().nullable(),
    /** How long the deployment lives, in seconds; `null` for a permanent one. */
    ttl: p.integer().nullable(),
    created: p.datetime(3),
    /** When its client was last active. */
    touched: p.datetime(3),
    /** When it is forgotten. Until then it can be committed, or its commit repeated. */
    expires: p.datetime(3).index('upload_expires_index'),
    /** From then on its files, and what it held, are those of the deployment. */
    committed: p.datetime(3).nullable(),
  },
  indexes: [{ name: 'upload_account_created_index', properties: ['account', 'created'] }],
});

/** A delta upload between its beginning and its commit. Source: contract §9; security P10. */
export class Upload extends UploadSchema.class {}
UploadSchema.setClass(Upload);
