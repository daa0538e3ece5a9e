import type { AuthMethod } from '@berth/contract';
import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { TextArray } from './text-array.ts';
import { Account } from './account.ts';
import { Pack } from './pack.ts';

/** A published site. Source: api §3. */
export const Deployment = defineEntity({
  name: 'Deployment',
  properties: {
    /** The id, which is also the subdomain. A row of `issued_id` keeps every id forever. */
    id: p.text().primary(),
    /** The owner; `null` until an anonymous deployment is claimed. */
    account: () => p.manyToOne(Account).nullable().deleteRule('restrict'),
    /** The client address of an anonymous deployment, with IPv6 cut to its /64; `null` once the deployment is claimed. */
    address: p.text().nullable().index('deployment_address_index'),
    status: p.enum(['success', 'deleting'] as const).index('deployment_status_index'),
    files: p.integer(),
    size: p.bigint('number'),
    labels: p.type(TextArray),
    via: p.text(),
    /** How the request that made the deployment was authenticated; `null` without a credential, and before it was recorded. */
    authMethod: p.text().$type<AuthMethod>().nullable(),
    /** The id of the credential that made the deployment; `null` like `authMethod`. */
    token: p.text().nullable(),
    /** The password hash as a PHC string; `null` for a public site. */
    passwordHash: p.text().nullable(),
    /** The SHA-256 of the claim hash; `null` for a deploy with a credential. */
    claimHash: p.blob().nullable().unique(),
    created: p.datetime(3),
    expires: p.datetime(3).nullable().index('deployment_expires_index'),
    /** When the operator took the deployment down; `null` if the deployment is available. */
    takenDown: p.datetime(3).nullable(),
    /** Why the operator took the deployment down; `null` without a reason, and if the deployment is available. */
    takeDownReason: p.text().nullable(),
    /** When the deployment was claimed; `null` if it never was. Lets the claiming account repeat its claim. */
    claimed: p.datetime(3).nullable(),
    /** When the files are due for compression, or for another attempt; `null` once all that are worth it are compressed. */
    compressAt: p.datetime(3).nullable().index('deployment_compress_at_index'),
  },
  indexes: [
    { name: 'deployment_account_created_id_index', properties: ['account', 'created', 'id'] },
    {
      name: 'deployment_labels_index',
      expression: `create index "deployment_labels_index" on "deployment" using gin ("labels")`,
    },
  ],
});
export type Deployment = InferEntity<typeof Deployment>;

/** A pack that a deployment needs. A foreign key prevents the sweep from removing the pack. Source: storage §1. */
export const DeploymentPack = defineEntity({
  name: 'DeploymentPack',
  properties: {
    deployment: () => p.manyToOne(Deployment).primary().deleteRule('cascade'),
    pack: () => p.manyToOne(Pack).primary().deleteRule('restrict').index('deployment_pack_pack_id_index'),
  },
});
export type DeploymentPack = InferEntity<typeof DeploymentPack>;

/** The files of a deployment in one row. Rows of `content` locate the bytes, which can move to another pack. */
export const Manifest = defineEntity({
  name: 'Manifest',
  properties: {
    deployment: () => p.oneToOne(Deployment).primary().deleteRule('cascade').owner(),
    paths: p.type(TextArray),
    /** The SHA-256 of each file, 32 bytes each, in the order of `paths`. */
    hashes: p.blob(),
    /** The size of each file in bytes, in the order of `paths`. */
    sizes: p.array<number>().columnType('bigint[]'),
    /** The compiled rule files, as `RuleData` of serving; `null` if the deployment has no rules. */
    rules: p.json<object>().nullable(),
    /** The keys of the path index of `paths`, in base64; `null` if the deployment is of an older version and was not visited since. */
    pathKeys: p.text().nullable(),
    /** The positions of the path index, in the order of `pathKeys`. */
    pathPositions: p.blob().nullable(),
    /** The path index of the last release. Nothing reads it. */
    pathIndex: p.blob().nullable(),
  },
});
export type Manifest = InferEntity<typeof Manifest>;

/**
 * What the front page of a deployment says about its site. The row is added with the deployment, and filled afterwards by a
 * job. A deployment without an `index.html`, or of an older version, has no row.
 */
export const FrontPage = defineEntity({
  name: 'FrontPage',
  properties: {
    deployment: () => p.oneToOne(Deployment).primary().deleteRule('cascade').owner(),
    /** When the front page is due to be read, or to be read again after a failure; `null` once it was read. */
    due: p.datetime(3).nullable(),
    /** The text of its `<title>`; `null` for none. */
    title: p.text().nullable(),
    /** The bytes of its icon, which were checked; `null` for none. */
    icon: p.blob().nullable(),
    /** The media type of the icon. */
    iconType: p.text().nullable(),
  },
  indexes: [
    {
      name: 'front_page_due_index',
      expression: `create index "front_page_due_index" on "front_page" ("due") where "due" is not null`,
    },
  ],
});
export type FrontPage = InferEntity<typeof FrontPage>;

/** An issued deployment id. Rows are never removed, so that an id never names two deployments. Source: security T15. */
export const IssuedId = defineEntity({
  name: 'IssuedId',
  properties: {
    id: p.text().primary(),
    /** When the deployment expired; `null` if it did not, and for deployments that expired before this was recorded. */
    expired: p.datetime(3).nullable(),
  },
});
export type IssuedId = InferEntity<typeof IssuedId>;
