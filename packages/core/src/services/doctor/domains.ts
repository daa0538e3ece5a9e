import { sql } from 'kysely';
import { type Check, finding } from './checks.ts';

interface Row {
  domain: string;
  deployment: string;
  fault: 'deleting' | 'expiring' | 'foreign';
}

const FAULTS: Record<Row['fault'], string> = {
  deleting: 'is being deleted, and cannot be removed as long as the domain leads there',
  expiring: 'will expire',
  foreign: 'belongs to somebody else',
};

/** Follows every domain to its deployment. Source: contract §3, §4. */
export const domains: Check = {
  name: 'domains',
  title: 'Where domains lead',
  async *run(core) {
    const { rows } = await sql<Row>`
      select * from (
        select o.name as domain, d.id as deployment, case
          when d.account_id is distinct from o.account_id then 'foreign'
          when d.status <> 'success' then 'deleting'
          when d.expires is not null then 'expiring' end as fault
        from domain o join deployment d on d.id = o.deployment_id) l
      where fault is not null order by domain`.execute(core.database.kysely);
    for (const { domain, deployment, fault } of rows)
      yield finding('drift', `${domain} leads to ${deployment}, which ${FAULTS[fault]}. Link it to another one.`, {
        domain,
        deployments: [deployment],
      });
  },
};
