import { DOMAIN_STATUSES } from '@berth/contract';
import { defineEntity, p } from '@mikro-orm/core';
import { Account } from './account.ts';
import { Deployment } from './deployment.ts';
import { TextArray } from './text-array.ts';

/** The result of checking one DNS record, as `verify` returns it. Source: api §4. */
export interface DnsCheck {
  type: 'A' | 'AAAA' | 'CNAME' | 'TXT';
  name: string;
  expected: string[];
  found: string[];
  ok: boolean;
  /** Why the check is not ok, as a message for people; absent if it is. */
  reason?: string;
  /** The query got no answer, so the check says nothing about the record; absent otherwise. */
  failed?: true;
}

export const DomainSchema = defineEntity({
  name: 'Domain',
  tableName: 'domain',
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    account: () => p.manyToOne(Account).deleteRule('restrict'),
    /** Normalised, as A-labels. Several accounts may have the same custom name while it is pending, each account once. */
    name: p.text(),
    kind: p.enum(['platform', 'custom'] as const),
    status: p.enum(DOMAIN_STATUSES),
    deployment: () => p.manyToOne(Deployment).nullable().deleteRule('restrict').index('domain_deployment_id_index'),
    labels: p.type(TextArray),
    created: p.datetime(3),
    /** When it was last linked to a deployment. */
    linked: p.datetime(3).nullable(),
    /** How many times it was linked to a deployment. */
    links: p.integer().default(0),
    /** When ownership was verified; for a platform domain when it was created. Kept while paused. For each name, at most one account has a verified domain. */
    verified: p.datetime(3).nullable(),
    /** When DNS was last checked, and when it is due to be checked next. */
    checked: p.datetime(3).nullable(),
    nextCheck: p.datetime(3).nullable(),
    /** The results of the last check; empty before the first one. */
    checks: p.json<DnsCheck[]>(),
    /** How many checks in a row failed to find the expected records. */
    misses: p.integer().default(0),
    /** Since when its records are missing; `null` while they are as expected, and before the first check. */
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
    { name: 'domain_next_check_index', properties: ['nextCheck'] },
  ],
});

/** A name that points at a deployment. Source: api §4. */
export class Domain extends DomainSchema.class {}
DomainSchema.setClass(Domain);
