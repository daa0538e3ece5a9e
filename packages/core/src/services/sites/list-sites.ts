import { domainToASCII } from 'node:url';
import { parseDeploymentReference, type Site, type SiteList, type SiteQuery, type SiteState } from '@berth/contract';
import { type RawBuilder, sql } from 'kysely';
import type { Addresses, Scope } from '../../core.ts';
import { db } from '../../database/tables.ts';
import { notFound } from '../../errors.ts';
import { type CursorScope, decodeCursor, toPage } from '../cursors.ts';
import { toUnixSeconds } from '../timestamps.ts';

interface SiteRow {
  site: string;
  isDomain: boolean;
  deployment: string | null;
  state: SiteState;
  title: string | null;
  iconType: string | null;
  icon: Buffer | null;
  reading: boolean;
  password: boolean;
  labels: string[];
  changed: Date;
  files: number | null;
  size: number | null;
  expires: Date | null;
}

/**
 * `GET /sites`: what the account shows at each of its addresses, the most recently changed first. A deployment that a domain
 * of the account shows or has shown is a version of that domain, and no site of its own.
 *
 * @throws `validation_failed` for an invalid cursor. Source: api §3, §4.
 */
export async function listSites(scope: Scope, { search = '', ...page }: SiteQuery): Promise<SiteList> {
  const { core, caller } = scope;
  const cursorScope: CursorScope = { core, account: caller.account, list: 'sites' };
  const [changed, site] = page.cursor === undefined ? [] : decodeCursor(cursorScope, page.cursor);
  const after = changed === undefined ? null : { changed: new Date(changed), site: String(site) };
  const found = await readSites(scope, {
    domains: [sql`true`, before('coalesce(n.linked, n.created)', 'n.name', after), matches(DOMAIN_WORDS, search)],
    deployments: [NO_VERSION, before('d.created', 'd.id', after), matches(DEPLOYMENT_WORDS, search)],
    limit: page.limit + 1,
  });
  const { rows, nextCursor } = toPage(cursorScope, found, page.limit, (row) => [row.changed.getTime(), row.site]);
  return { sites: rows.map((row) => toSite(core.addresses, row)), ...(nextCursor ? { nextCursor } : {}) };
}

/**
 * `GET /sites/{site}`: a domain or a deployment of the account, also if the deployment is an earlier version of a domain.
 *
 * @throws `not_found`. Source: api §3, §4.
 */
export async function getSite(scope: Scope, reference: string): Promise<Site> {
  const deployment = parseDeploymentReference(reference, scope.core.addresses.platformDomain);
  const [row] = await readSites(scope, {
    domains: [sql`n.name = ${deployment === null ? domainToASCII(reference).replace(/\.$/, '') : ''}`],
    deployments: [sql`d.id = ${deployment}`],
    limit: 1,
  });
  if (!row) throw notFound('site');
  return toSite(scope.core.addresses, row);
}

/** The texts of a site that a search compares. */
const DOMAIN_WORDS = `concat_ws(' ', n.name, d.id, f.title, array_to_string(n.labels, ' '), array_to_string(d.labels, ' '))`;
const DEPLOYMENT_WORDS = `concat_ws(' ', d.id, f.title, array_to_string(d.labels, ' '))`;

/** Selects deployments that are no version of a domain which the account still has. */
const NO_VERSION = sql`not exists (
  select from domain_version v join domain o on o.account_id = v.account_id and o.name = v.domain
  where v.account_id = d.account_id and v.deployment = d.id)`;

function matches(words: string, search: string): RawBuilder<unknown> {
  const text = search.trim().toLowerCase();
  if (text === '') return sql`true`;
  const pattern = (part: string) => `%${part.replace(/[\\%_]/g, '\\$&')}%`;
  const patterns = [...new Set([text, domainToASCII(text) || text])].map(pattern);
  return sql`lower(${sql.raw(words)}) like any (${patterns}::text[])`;
}

function before(changed: string, site: string, after: { changed: Date; site: string } | null): RawBuilder<unknown> {
  if (after === null) return sql`true`;
  return sql`(${sql.raw(changed)}, ${sql.raw(site)}) < (${after.changed}, ${after.site})`;
}

interface SiteFilter {
  /** The conditions for a domain `n` with its deployment `d` and front page `f`. */
  domains: readonly RawBuilder<unknown>[];
  /** The conditions for a deployment `d` with its front page `f`. */
  deployments: readonly RawBuilder<unknown>[];
  limit: number;
}

/** Reads both kinds of sites in one statement, each by its own index, and merges them. */
async function readSites(
  { core, caller }: Scope,
  { domains, deployments, limit }: SiteFilter,
): Promise<(SiteRow & { changed: Date })[]> {
  const all = (conditions: readonly RawBuilder<unknown>[]) => sql.join([...conditions], sql` and `);
  const { rows } = await sql<SiteRow>`
    with named as (
      select n.name as site, coalesce(n.linked, n.created) as changed, n.deployment_id as deployment, n.status, n.labels
      from domain n left join deployment d on d.id = n.deployment_id left join front_page f on f.deployment_id = d.id
      where n.account_id = ${caller.account} and ${all(domains)}
      order by changed desc, site desc limit ${limit}),
    unnamed as (
      select d.id as site, d.created as changed, d.id as deployment, null as status, d.labels
      from deployment d left join front_page f on f.deployment_id = d.id
      where d.account_id = ${caller.account} and (d.expires is null or d.expires > ${core.now()}) and ${all(deployments)}
      order by d.created desc, d.id desc limit ${limit}),
    page as (
      select * from named union all select * from unnamed order by changed desc, site desc limit ${limit})
    select p.site, p.status is not null as "isDomain", p.deployment, p.changed, array_to_json(p.labels) as labels,
      case when d.taken_down is not null then 'taken-down' when p.status <> 'success' then p.status
        when d.id is null then 'empty' when d.status <> 'success' then 'deleting' else 'live' end as state,
      f.title, f.icon, f.icon_type as "iconType", f.due is not null as reading, d.password_hash is not null as password,
      d.files, d.size::float8 as size, d.expires
    from page p left join deployment d on d.id = p.deployment left join front_page f on f.deployment_id = p.deployment
    order by p.changed desc, p.site desc`.execute(db(core));
  return rows;
}

function toSite(addresses: Addresses, row: SiteRow): Site {
  const { site, isDomain, deployment, state, title, icon, iconType, reading, password, labels, changed, files, size } =
    row;
  return {
    site,
    url: isDomain ? addresses.domain(site) : addresses.site(site),
    domain: isDomain ? site : null,
    deployment,
    state,
    title,
    icon: icon && iconType ? `data:${iconType};base64,${icon.toString('base64')}` : null,
    reading,
    password,
    labels,
    changed: toUnixSeconds(changed),
    files,
    size,
    ...(row.expires ? { expires: toUnixSeconds(row.expires) } : {}),
  };
}
