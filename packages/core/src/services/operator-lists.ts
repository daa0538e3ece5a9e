import { sql } from 'kysely';
import type { Core } from '../core.ts';
import { db } from '../database/tables.ts';
import { toUnixSeconds } from './timestamps.ts';

/** Which rows a list of the operator has. */
export interface OperatorListOptions {
  /** The id of an account. Default: all accounts, and for sites also the anonymous ones. */
  account?: string | undefined;
  /** The maximum number of rows. */
  limit: number;
}

/** Lists all accounts, oldest first. Times are in Unix seconds, sizes in bytes. */
export async function listAccounts(core: Core) {
  const rows = await db(core)
    .selectFrom('account as a')
    .leftJoinLateral(
      (eb) =>
        eb
          .selectFrom('activity')
          .select('created')
          .whereRef('account_id', '=', 'a.id')
          .orderBy('id', 'desc')
          .limit(1)
          .as('newest'),
      (join) => join.onTrue(),
    )
    .select(['a.id', 'a.email', 'a.name', 'a.plan', 'a.state', 'a.created', 'newest.created as changed'])
    .select(['a.deployment_count as deployments', 'a.storage_bytes as storage'])
    .orderBy('a.created')
    .orderBy('a.id')
    .execute();
  return rows.map(({ id, storage, created, changed, ...row }) => ({
    account: id,
    ...row,
    /** The size of the distinct contents; an upper bound until the sweep has measured it after a deletion. */
    storage,
    created: toUnixSeconds(created),
    /** When the newest activity was recorded. */
    changed: toUnixSeconds(changed ?? created),
  }));
}

export interface SiteListOptions extends OperatorListOptions {
  /** Whether the largest sites come first. Default: the newest sites come first. */
  largestFirst?: boolean;
}

/** Lists deployments, also anonymous ones. Times are in Unix seconds, sizes in bytes. */
export async function listSites(core: Core, { account, limit, largestFirst = false }: SiteListOptions) {
  const rows = await db(core)
    .selectFrom('deployment as d')
    .select(['d.id', 'd.account_id as account', 'd.address', 'd.files', 'd.status', 'd.created', 'd.expires'])
    .select(['d.size', 'd.taken_down as takenDown', 'd.take_down_reason as reason'])
    .select(({ fn }) => [
      fn<Date>('greatest', ['d.created', 'd.claimed', 'd.taken_down']).as('changed'),
      sql<string[]>`array(select name from domain where deployment_id = d.id order by name collate "C" limit 100)`.as(
        'domains',
      ),
    ])
    .$if(account !== undefined, (query) => query.where('d.account_id', '=', account!))
    .orderBy(largestFirst ? 'd.size' : 'd.created', 'desc')
    .orderBy('d.id', 'desc')
    .limit(limit)
    .execute();
  return rows.map(({ id, account: owner, address, files, size, status, domains, reason, ...times }) => ({
    deployment: id,
    url: core.addresses.site(id),
    account: owner,
    /** The address of the client that published it; `null` if an account owns it. */
    address,
    files,
    size,
    status: times.takenDown ? ('taken-down' as const) : status,
    reason,
    domains,
    created: toUnixSeconds(times.created),
    expires: times.expires && toUnixSeconds(times.expires),
    /** When it was published, claimed or taken down, whichever happened last. */
    changed: toUnixSeconds(times.changed),
  }));
}

/** Lists domains of all accounts, the one that changed last first. Times are in Unix seconds, sizes in bytes. */
export async function listAllDomains(core: Core, { account, limit }: OperatorListOptions) {
  const rows = await db(core)
    .selectFrom('domain as n')
    .leftJoin('deployment as d', 'd.id', 'n.deployment_id')
    .select([
      'n.name',
      'n.kind',
      'n.status',
      'n.account_id as account',
      'n.deployment_id as deployment',
      'n.created',
      'd.size',
    ])
    .select(({ fn }) => fn<Date>('greatest', ['n.created', 'n.linked', 'n.verified']).as('changed'))
    .$if(account !== undefined, (query) => query.where('n.account_id', '=', account!))
    .orderBy('changed', 'desc')
    .orderBy('n.id', 'desc')
    .limit(limit)
    .execute();
  return rows.map(({ name, size, created, changed, ...row }) => ({
    domain: name,
    url: core.addresses.domain(name),
    ...row,
    /** The size of the deployment that the domain shows; `null` without one. */
    size,
    created: toUnixSeconds(created),
    /** When it was created, verified or linked, whichever happened last. */
    changed: toUnixSeconds(changed),
  }));
}
