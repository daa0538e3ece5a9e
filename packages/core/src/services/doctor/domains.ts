import { sql } from 'kysely';
import { type Check, finding } from './checks.ts';
import { db } from '../../database/tables.ts';

interface Row {
  domain: string;
  deployment: string;
  fault: 'deleting' | 'expiring' | 'foreign';
}

const FAULTS: Record<Row['fault'], string> = {
  deleting: 'is being deleted, but cannot be removed while the domain points at it',
  expiring: 'will expire',
  foreign: 'belongs to another account',
};

/** Checks the deployment of every domain. Source: api §3, §4. */
export const domains: Check = {
  name: 'domains',
  title: 'Deployments of domains',
  async *run(core) {
    const { rows } = await sql<Row>`
      select * from (
        select o.name as domain, d.id as deployment, case
          when d.account_id is distinct from o.account_id then 'foreign'
          when d.status <> 'success' then 'deleting'
          when d.expires is not null then 'expiring' end as fault
        from domain o join deployment d on d.id = o.deployment_id) l
      where fault is not null order by domain`.execute(db(core));
    for (const { domain, deployment, fault } of rows)
      yield finding(
        'drift',
        `${domain} points at ${deployment}, which ${FAULTS[fault]}. Link the domain to another deployment.`,
        {
          domain,
          deployments: [deployment],
        },
      );
  },
};
