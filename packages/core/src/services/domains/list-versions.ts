import type { AuthMethod, DomainVersionList, PageQuery } from '@berth/contract';
import { sql } from 'kysely';
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
  const foundVersions = await readVersions(scope, domain, beforeVersion, page.limit + 1);
  const { rows, nextCursor } = toPage(cursorScope, foundVersions, page.limit, ({ id }) => [id]);
  return { versions: rows.map(toVersion), ...(nextCursor ? { nextCursor } : {}) };
}

interface VersionRow {
  id: number;
  deployment: string;
  linked: Date;
  unlinked: Date | null;
  by: AuthMethod;
  token: string | null;
  available: boolean;
  previous: string | null;
  created: Date | null;
  files: number;
  size: number;
  via: string;
  password: boolean;
  publishedBy: AuthMethod | null;
  publishedToken: string | null;
}

async function readVersions(
  { core, caller }: Scope,
  domain: string,
  beforeVersion: number | null,
  limit: number,
): Promise<VersionRow[]> {
  const { rows } = await sql<VersionRow>`
    select v.id::float8 as id, v.deployment, v.linked, v.unlinked, v.by, v.token,
      d.id is not null and d.taken_down is null and d.expires is null as available,
      (select e.id from domain_version u join deployment e on e.id = u.deployment
        where u.id = (select max(w.id) from domain_version w where w.account_id = v.account_id and w.domain = v.domain and w.id < v.id)
          and e.account_id = v.account_id and e.status = 'success' and e.id <> v.deployment) as previous,
      d.created, d.files, d.size::float8 as size, d.via, d.password_hash is not null as password,
      d.auth_method as "publishedBy", d.token as "publishedToken"
    from domain_version v
    left join deployment d on d.id = v.deployment and d.account_id = v.account_id and d.status = 'success'
    where v.account_id = ${caller.account} and v.domain = ${domain}
      and (${beforeVersion}::bigint is null or v.id < ${beforeVersion}::bigint)
    order by v.id desc limit ${limit}`.execute(db(core));
  return rows;
}

function toVersion(row: VersionRow): DomainVersionList['versions'][number] {
  const { deployment, linked, unlinked, by, token, available, previous, created, files, size, via, password } = row;
  const { publishedBy, publishedToken } = row;
  return {
    deployment,
    linked: toUnixSeconds(linked),
    unlinked: unlinked ? toUnixSeconds(unlinked) : null,
    by,
    ...(token ? { token } : {}),
    available,
    previous,
    published: created && {
      created: toUnixSeconds(created),
      files,
      size,
      via,
      password,
      ...(publishedBy ? { by: publishedBy } : {}),
      ...(publishedToken ? { token: publishedToken } : {}),
    },
  };
}
