import { MAX_LISTED_LABELS } from '@berth/contract';
import { sql } from 'kysely';
import type { Scope } from '../core.ts';
import { db } from '../database/tables.ts';

/**
 * `GET /labels`: the distinct labels of the account's deployments, domains and tokens, the most recently used first. A
 * label was last used when the newest resource with this label was created, or claimed by the account. Deployments that
 * are being deleted or have expired do not count. Labels with the same time are in alphabetical order. Source: api §6.
 */
export async function listLabels({ core, caller: { account } }: Scope): Promise<{ labels: string[] }> {
  const { rows } = await sql<{ label: string }>`
    select label
    from (
      select labels, coalesce(claimed, created) as used from deployment
      where account_id = ${account} and status = 'success' and (expires is null or expires > ${core.now()})
      union all
      select labels, created from domain where account_id = ${account}
      union all
      select labels, created from token where account_id = ${account}
    ) resource, unnest(labels) as label
    group by label order by max(used) desc, label collate "C" limit ${MAX_LISTED_LABELS}`.execute(db(core));
  return { labels: rows.map(({ label }) => label) };
}
