import { type AuthMethod, DOMAIN_STATUSES, type DomainCheck } from '@berth/contract';
import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { Account } from './account.ts';
import { Deployment } from './deployment.ts';
import { TextArray } from './text-array.ts';

/** The result of checking one DNS record. Source: api §4. */
export interface DnsCheck extends DomainCheck {
  /** Present if the query got no response, so that the check says nothing about the record. */
  failed?: true;
}

/** A name that points at a deployment. Source: api §4. */
export const Domain = defineEntity({
  name: 'Domain',
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    account: () => p.manyToOne(Account).deleteRule('restrict'),
    /** The normalised name, as A-labels. Several accounts can have the same name while none of them has verified it. */
    name: p.text(),
    kind: p.enum(['platform', 'custom'] as const),
    status: p.enum(DOMAIN_STATUSES),
    deployment: () => p.manyToOne(Deployment).nullable().deleteRule('restrict').index('domain_deployment_id_index'),
    labels: p.type(TextArray),
    created: p.datetime(3),
    /** When the domain was last linked to a deployment. */
    linked: p.datetime(3).nullable(),
    /** How many times the domain was linked to a deployment. */
    links: p.integer().default(0),
    /** When ownership was verified, or a platform domain created; a pause does not change it. Only one account can verify a name. */
    verified: p.datetime(3).nullable(),
    /** When the DNS records were last checked. The next check is due at `nextCheck`. */
    checked: p.datetime(3).nullable(),
    nextCheck: p.datetime(3).nullable().index('domain_next_check_index'),
    /** The results of the last check; empty before the first check. */
    checks: p.json<DnsCheck[]>(),
    /** How many checks in a row failed to find the expected records. */
    misses: p.integer().default(0),
    /** Since when DNS records are missing; `null` while all are as expected, and before the first check. */
    missing: p.datetime(3).nullable(),
    /** The hash in the URL of the public page that shows the records; `null` for a platform domain. */
    shareHash: p.text().nullable().unique(),
  },
  uniques: [{ name: 'domain_account_name_unique', properties: ['account', 'name'] }],
  indexes: [
    {
      name: 'domain_verified_name_unique',
      expression: `create unique index "domain_verified_name_unique" on "domain" ("name") where "verified" is not null`,
    },
    { name: 'domain_account_created_id_index', properties: ['account', 'created', 'id'] },
    {
      name: 'domain_account_changed_name_index',
      expression: `create index "domain_account_changed_name_index" on "domain" ("account_id", (coalesce("linked", "created")), "name")`,
    },
  ],
});
export type Domain = InferEntity<typeof Domain>;

/**
 * A deployment that a domain was linked to. Rows outlive the domain, so that an account that creates the domain again keeps
 * its history, and outlive the deployment.
 */
export const DomainVersion = defineEntity({
  name: 'DomainVersion',
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    account: () => p.manyToOne(Account).deleteRule('cascade'),
    /** The normalised name of the domain, as A-labels. */
    domain: p.text(),
    /** The id of the deployment, which may be deleted. */
    deployment: p.text(),
    linked: p.datetime(3),
    /** When the domain was linked to another deployment or deleted; `null` while it points at the deployment. */
    unlinked: p.datetime(3).nullable(),
    by: p.text().$type<AuthMethod>(),
    /** The id of the credential that linked the domain; `null` before it was recorded. */
    token: p.text().nullable(),
  },
  indexes: [
    { name: 'domain_version_account_domain_id_index', properties: ['account', 'domain', 'id'] },
    { name: 'domain_version_deployment_index', properties: ['deployment'] },
    {
      name: 'domain_version_current_unique',
      expression: `create unique index "domain_version_current_unique" on "domain_version" ("account_id", "domain") where "unlinked" is null`,
    },
  ],
});
export type DomainVersion = InferEntity<typeof DomainVersion>;
