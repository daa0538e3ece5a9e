import type { DomainVersionList, PageQuery } from '@berth/contract';
import type { Scope } from '../../core.ts';
import { db } from '../../database/tables.ts';
import { type CursorScope, decodeCursor, toPage } from '../cursors.ts';
import { toUnixSeconds } from '../timestamps.ts';
import { getDomain } from './domains.ts';

/**
 * `GET /domains/{domain}/versions`: the deployments that the domain was linked to, newest first. The history also contains
 * deleted deployments, and what the account showed at this name before it deleted the domain and created it again.
 *
 * @throws `validation_failed` for an invalid name or cursor; `not_found`. Source: api §4.
 */
export async function listVersions(scope: Scope, reference: string, page: PageQuery): Promise<DomainVersionList> {
  const { core, caller } = scope;
  const { domain } = await getDomain(scope, reference);
  const cursorScope: CursorScope = { core, account: caller.account, list: `versions of ${domain}` };
  const beforeVersion = page.cursor === undefined ? null : Number(decodeCursor(cursorScope, page.cursor)[0]);
  const foundVersions = await db(core)
    .selectFrom('domain_version as v')
    .leftJoin('deployment as d', (join) =>
      join
        .onRef('d.id', '=', 'v.deployment')
        .onRef('d.account_id', '=', 'v.account_id')
        .on('d.status', '=', 'success')
        .on('d.taken_down', 'is', null)
        .on('d.expires', 'is', null),
    )
    .select(['v.id', 'v.deployment', 'v.linked', 'v.unlinked', 'v.by', 'd.id as available'])
    .where('v.account_id', '=', caller.account)
    .where('v.domain', '=', domain)
    .$if(beforeVersion !== null, (query) => query.where('v.id', '<', beforeVersion))
    .orderBy('v.id', 'desc')
    .limit(page.limit + 1)
    .execute();
  const { rows, nextCursor } = toPage(cursorScope, foundVersions, page.limit, ({ id }) => [id]);
  return {
    versions: rows.map(({ deployment, linked, unlinked, by, available }) => ({
      deployment,
      linked: toUnixSeconds(linked),
      unlinked: unlinked ? toUnixSeconds(unlinked) : null,
      by,
      available: available !== null,
    })),
    ...(nextCursor ? { nextCursor } : {}),
  };
}
