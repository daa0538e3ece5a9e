import type { Core } from '../../core.ts';
import { type Manifest, prepareRules, type RuleData, type Site } from '@berth/serving';
import { passwordVersion } from '../passwords.ts';
import { buildPathIndex, PathKeys } from './path-index.ts';

/** The deployment or domain of a host name. A domain is a normalised name without a port. */
export type SiteAddress = { deployment: string } | { domain: string };

/** Why a site is not served: its account is suspended, its domain is paused, or the operator took it down. */
export type WithheldReason = 'paused' | 'taken-down';

/** A deployment that has expired. Nothing else is known about it once its row is removed. */
export const EXPIRED = { state: 'expired', sizeBytes: 100 } as const;

/** The result of a lookup: a site, the reason why the site is not served, or `null` for no site. */
export type SiteLookup = Site | WithheldReason | 'expired' | null;

export interface DeployedSite {
  site: Site;
  /** The account whose state decides; `null` for an anonymous site. */
  account: string | null;
  state: 'shown' | WithheldReason;
  /** When the deployment expires, in Unix milliseconds; `null` for never. */
  expires: number | null;
  /** The approximate size in memory, in bytes. */
  sizeBytes: number;
}

export interface DomainLink {
  account: string;
  /** `null` if the domain is not linked. */
  deployment: string | null;
  paused: boolean;
}

/** Decides what visitors of a deployment see now. Source: serving S4. */
export function resultForDeployment(found: DeployedSite | typeof EXPIRED, now: () => Date): SiteLookup {
  if (found.state === 'expired' || (found.expires !== null && found.expires <= now().getTime())) return 'expired';
  return found.state === 'shown' ? found.site : found.state;
}

/** Decides what visitors of a domain see, given what visitors of its deployment see. Source: serving S4. */
export function resultForDomain({ paused }: DomainLink, found: SiteLookup): SiteLookup {
  if (paused && found !== 'taken-down') return 'paused';
  return found === 'expired' ? null : found;
}

const LINK = `
  select n.account_id as account, n.deployment_id as deployment, n.status = 'paused' or a.state = 'suspended' as paused
  from domain n join account a on a.id = n.account_id
  where n.name = $1 and n.verified is not null and n.status in ('success', 'paused') and a.state <> 'terminated'`;

/** Loads the link of a domain; `null` if the domain is not verified or belongs to a terminated account. */
export async function loadLink({ database }: Core, domain: string): Promise<DomainLink | null> {
  const [link] = await database.prepared<DomainLink>(LINK, [domain]);
  return link ?? null;
}

interface SiteRow {
  account: string | null;
  state: DeployedSite['state'];
  passwordHash: string | null;
  expires: number | null;
  /** JSON of {@link RuleData}. */
  rules: string | null;
  /** The keys of a `PathIndex`; `null` if the deployment has none yet. */
  keys: string | null;
}

const SITE = `
  select
    case when d.taken_down is not null then 'taken-down' when a.state = 'suspended' then 'paused' else 'shown' end as state,
    d.account_id as account, d.password_hash as "passwordHash",
    (extract(epoch from d.expires) * 1000)::float8 as expires, m.rules::text as rules, m.path_keys as keys
  from deployment d join manifest m on m.deployment_id = d.id left join account a on a.id = d.account_id
  where d.id = $1 and d.status = 'success' and (a.state is null or a.state <> 'terminated')`;

/** A manifest and its approximate size in memory, in bytes. */
export interface SizedManifest {
  manifest: Manifest;
  sizeBytes: number;
}

/** Makes the manifest of a site from the keys of its path index; `null` if the deployment was deleted in the meantime. */
export type LoadManifest = (deployment: string, keys: PathKeys) => SizedManifest | Promise<SizedManifest | null>;

/**
 * Loads the state of a deployment in one query, so that the result never mixes two states. Its time does not depend on the number of
 * files, apart from 8 bytes for each and what `loadManifest` does. `null` if the deployment does not exist, is not `success`, or belongs
 * to a terminated account.
 */
async function loadSite(core: Core, deployment: string, loadManifest: LoadManifest): Promise<DeployedSite | null> {
  const [row] = await core.database.prepared<SiteRow>(SITE, [deployment]);
  if (!row) return null;
  const keys = row.keys === null ? await addPathIndex(core, deployment) : new PathKeys(row.keys);
  const loadedManifest = keys && (await loadManifest(deployment, keys));
  if (loadedManifest === null) return null;
  const { account, state, passwordHash, expires } = row;
  const site: Site = {
    deployment,
    passwordVersion: passwordHash === null ? null : passwordVersion(passwordHash),
    anonymous: account === null,
    manifest: loadedManifest.manifest,
    rules: prepareRules(row.rules === null ? null : (JSON.parse(row.rules) as RuleData)),
  };
  const sizeBytes = SITE_BYTES + loadedManifest.sizeBytes + (row.rules?.length ?? 0) * RULE_FACTOR;
  return { site, account, state, expires, sizeBytes };
}

const PATHS = `select to_json(paths) as paths from manifest where deployment_id = $1`;
const ADD_INDEX = `update manifest set path_keys = $2, path_positions = $3 where deployment_id = $1 and path_keys is null`;

/** Adds the path index of a deployment that was made by an older version; `null` if the deployment was deleted in the meantime. */
async function addPathIndex({ database }: Core, deployment: string): Promise<PathKeys | null> {
  const [row] = await database.prepared<{ paths: string[] }>(PATHS, [deployment]);
  if (!row) return null;
  const { keys, positions } = buildPathIndex(row.paths);
  await database.prepared(ADD_INDEX, [deployment, keys, positions]);
  return new PathKeys(keys);
}

const WAS_EXPIRED = `select from issued_id where id = $1 and expired is not null`;

/**
 * Loads a deployment as {@link loadSite} does. An id is never issued again, so that a deployment which expired is known as such
 * forever; `null` if it was deleted instead, or never existed. Source: serving S4.
 */
export async function loadSiteOrExpiry(
  core: Core,
  deployment: string,
  loadManifest: LoadManifest,
): Promise<DeployedSite | typeof EXPIRED | null> {
  const site = await loadSite(core, deployment, loadManifest);
  if (site) return site;
  const expired = await core.database.prepared(WAS_EXPIRED, [deployment]);
  return expired.length > 0 ? EXPIRED : null;
}

/** The measured size in memory of a site without its manifest and rules, in bytes. */
const SITE_BYTES = 800;
/** The measured size in memory of rules, as a multiple of their length as JSON. */
const RULE_FACTOR = 8;
