import { defineEntity, p } from '@mikro-orm/core';
import { TextArray } from './text-array.ts';
import { Account } from './account.ts';
import { Pack } from './pack.ts';

export const DeploymentSchema = defineEntity({
  name: 'Deployment',
  tableName: 'deployment',
  properties: {
    /** Also the subdomain. Recorded in `issued_id` forever. */
    id: p.text().primary(),
    /** `null` until an anonymous deployment is claimed. */
    account: () => p.manyToOne(Account).nullable().deleteRule('restrict'),
    /** The client address of an anonymous deployment, IPv6 cut to its /64; `null` once it is claimed. */
    address: p.text().nullable().index('deployment_address_index'),
    status: p.enum(['success', 'deleting'] as const),
    files: p.integer(),
    size: p.bigint('number'),
    labels: p.type(TextArray),
    via: p.text(),
    /** Password hash as a PHC string; `null` for a public site. */
    passwordHash: p.text().nullable(),
    /** SHA-256 of the claim hash; `null` on authenticated deploys. */
    claimHash: p.blob().nullable().unique(),
    created: p.datetime(3),
    expires: p.datetime(3).nullable(),
    /** When the operator took the deployment down; `null` if it is available. */
    takenDown: p.datetime(3).nullable(),
    /** When it was claimed. Distinguishes a retry of the successful claim from an attempt by another account. */
    claimed: p.datetime(3).nullable(),
    /** When its files are due for compression, or due again if the process that took them does not finish; `null` once they are compressed. */
    compressAt: p.datetime(3).nullable(),
  },
  indexes: [
    { name: 'deployment_account_created_id_index', properties: ['account', 'created', 'id'] },
    { name: 'deployment_expires_index', properties: ['expires'] },
    { name: 'deployment_status_index', properties: ['status'] },
    { name: 'deployment_compress_at_index', properties: ['compressAt'] },
  ],
});

/** A published site. Source: api §3. */
export class Deployment extends DeploymentSchema.class {}
DeploymentSchema.setClass(Deployment);

export const DeploymentPackSchema = defineEntity({
  name: 'DeploymentPack',
  tableName: 'deployment_pack',
  properties: {
    deployment: () => p.manyToOne(Deployment).primary().deleteRule('cascade'),
    pack: () => p.manyToOne(Pack).primary().deleteRule('restrict').index('deployment_pack_pack_id_index'),
  },
});

/** The packs that a deployment needs. If the sweep wrongly removes one, the foreign key makes its commit fail. Source: storage §1. */
export class DeploymentPack extends DeploymentPackSchema.class {}
DeploymentPackSchema.setClass(DeploymentPack);

export const ManifestSchema = defineEntity({
  name: 'Manifest',
  tableName: 'manifest',
  properties: {
    deployment: () => p.oneToOne(Deployment).primary().deleteRule('cascade').owner(),
    /** The path of each file. */
    paths: p.type(TextArray),
    /** Their SHA-256, 32 bytes each, in the order of the paths. */
    hashes: p.blob(),
    /** Their sizes in bytes, in the same order. */
    sizes: p.array<number>().columnType('bigint[]'),
    /** The compiled rule files, as `RuleData` of serving; `null` if there are none. */
    rules: p.json<object>().nullable(),
  },
});

/** The files of a deployment in one row. Their location is in `content`, so that the bytes can move to another pack. */
export class Manifest extends ManifestSchema.class {}
ManifestSchema.setClass(Manifest);

export const IssuedIdSchema = defineEntity({
  name: 'IssuedId',
  tableName: 'issued_id',
  properties: { id: p.text().primary() },
});

/** A deployment id that was issued. Rows are never removed, so an id never names two deployments. Source: security T15. */
export class IssuedId extends IssuedIdSchema.class {}
IssuedIdSchema.setClass(IssuedId);
