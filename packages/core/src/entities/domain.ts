import { DOMAIN_STATUSES } from '@berth/contract';
import { defineEntity, p } from '@mikro-orm/core';
import { Account } from './account.ts';
import { Deployment } from './deployment.ts';
import { TextArray } from './text-array.ts';

/** One DNS record that was looked up, as `verify` answers it. Source: contract §4. */
export interface DnsCheck {
  type: 'A' | 'AAAA' | 'CNAME' | 'TXT';
  name: string;
  expected: string[];
  found: string[];
  ok: boolean;
  /** Why it is not as expected, in words; absent when it is. */
  reason?: string;
  /** The look was not answered, and says nothing about the record; absent when it was. */
  failed?: true;
}

const DomainSchema = defineEntity({
  name: 'Domain',
  tableName: 'domain',
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    account: () => p.manyToOne(Account).deleteRule('restrict'),
    /** Normalised, as A-labels. A pending custom name may stand here once for each of several accounts. */
    name: p.text(),
    kind: p.enum(['platform', 'custom'] as const),
    status: p.enum(DOMAIN_STATUSES),
    deployment: () => p.manyToOne(Deployment).nullable().deleteRule('restrict').index('domain_deployment_id_index'),
    labels: p.type(TextArray),
    created: p.datetime(3),
    /** When it was last linked to a deployment. */
    linked: p.datetime(3).nullable(),
    /** How often it was linked. */
    links: p.integer().default(0),
    /** When it was proved; a platform domain is from the start. Kept while paused. At most one account has it for a name. */
    verified: p.datetime(3).nullable(),
    /** When DNS was last looked at, and when it is to be looked at next. */
    checked: p.datetime(3).nullable(),
    nextCheck: p.datetime(3).nullable(),
    /** What was last found; empty before the first look. */
    checks: p.json<DnsCheck[]>(),
    /** How many looks in a row did not find what was expected. */
    misses: p.integer().default(0),
    /** Since when its records are looked for in vain; `null` while they are as expected, and before the first look. */
    missing: p.datetime(3).nullable(),
    /** Names the public page with the records; `null` for a platform domain. */
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

/** A name at which a deployment is served beside its own. Source: service-api part 2, contract §4. */
export class Domain extends DomainSchema.class {}
DomainSchema.setClass(Domain);
