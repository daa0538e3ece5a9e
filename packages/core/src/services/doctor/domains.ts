import { type Check, finding } from './checks.ts';
import { db } from '../../database/tables.ts';

/** Checks the deployment of every domain. Source: api §3, §4. */
export const domains: Check = {
  name: 'domains',
  title: 'Deployments of domains',
  async *run(core) {
    const faultyLinks = await db(core)
      .selectFrom('domain as o')
      .innerJoin('deployment as d', 'd.id', 'o.deployment_id')
      .select(['o.name', 'o.account_id as account', 'd.id as deployment', 'd.account_id as owner', 'd.status'])
      .where(({ eb, or, ref }) =>
        or([
          eb('d.account_id', 'is distinct from', ref('o.account_id')),
          eb('d.status', '<>', 'success'),
          eb('d.expires', 'is not', null),
        ]),
      )
      .orderBy('o.name')
      .execute();
    for (const { name: domain, account, deployment, owner, status } of faultyLinks) {
      let fault = 'the deployment will expire';
      if (owner !== account) fault = 'the deployment belongs to another account';
      else if (status !== 'success') fault = 'the deployment cannot be removed while a domain points at it';
      yield finding(
        'drift',
        `${domain} points at ${deployment}, but ${fault}. Link the domain to another deployment.`,
        { domain, deployments: [deployment] },
      );
    }
  },
};
