import { type Check, finding } from './checks.ts';
import { db } from '../../database/tables.ts';

const FAULTS = {
  deleting: 'is being deleted, but cannot be removed while the domain points at it',
  expiring: 'will expire',
  foreign: 'belongs to another account',
};

/** Checks the deployment of every domain. Source: api §3, §4. */
export const domains: Check = {
  name: 'domains',
  title: 'Deployments of domains',
  async *run(core) {
    const rows = await db(core)
      .selectFrom(({ selectFrom }) =>
        selectFrom('domain as o')
          .innerJoin('deployment as d', 'd.id', 'o.deployment_id')
          .select((eb) => [
            'o.name as domain',
            'd.id as deployment',
            eb
              .case()
              .when('d.account_id', 'is distinct from', eb.ref('o.account_id'))
              .then(eb.val<'foreign' | 'deleting' | 'expiring'>('foreign'))
              .when('d.status', '<>', 'success')
              .then(eb.val<'foreign' | 'deleting' | 'expiring'>('deleting'))
              .when('d.expires', 'is not', null)
              .then(eb.val<'foreign' | 'deleting' | 'expiring'>('expiring'))
              .end()
              .as('fault'),
          ])
          .as('linked'),
      )
      .select(({ ref }) => ['domain', 'deployment', ref('fault').$notNull().as('fault')])
      .where('fault', 'is not', null)
      .orderBy('domain')
      .execute();
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
