import type { Core } from '../../core.ts';
import type { CompressedForm } from '../../entities/index.ts';
import { type Coding, type CompressedForms, prepareRules, type RuleData, type Site } from '@berth/serving';
import { type ManifestFile, PackedManifest } from './packed-manifest.ts';
import { passwordVersion } from '../passwords.ts';

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
  rules: RuleData | null;
  files: FileRow[] | null;
}

type FileRow = [
  path: string,
  sha256: string,
  pack: string,
  offset: number,
  length: number,
  formsPack: string | null,
  forms: Partial<Record<Coding, CompressedForm>> | null,
];

/** In the column `hashes`, the hash of each file has 32 bytes. The positions of the files start at 1. */
const SITE = `
  select
    case when d.taken_down is not null then 'taken-down' when a.state = 'suspended' then 'paused' else 'shown' end as state,
    d.account_id as account, d.password_hash as "passwordHash",
    (extract(epoch from d.expires) * 1000)::float8 as expires, m.rules,
    (select json_agg(json_build_array(f.path, encode(c.hash, 'hex'), c.pack_id, c."offset", c.length, k.pack_id, k.forms))
      from unnest(m.paths) with ordinality as f (path, position)
      join content c on c.hash = substring(m.hashes from (f.position::int - 1) * 32 + 1 for 32)
      left join compression k on k.content_hash = c.hash and k.pack_id is not null) as files
  from deployment d join manifest m on m.deployment_id = d.id left join account a on a.id = d.account_id
  where d.id = $1 and d.status = 'success' and (a.state is null or a.state <> 'terminated')`;

/**
 * Loads a deployment in one query, so that the result never mixes two states. `null` if the deployment does not exist, is
 * not `success`, or belongs to a terminated account.
 */
export async function loadSite({ database }: Core, deployment: string): Promise<DeployedSite | null> {
  const [row] = await database.prepared<SiteRow>(SITE, [deployment]);
  if (!row?.files) return null;
  const { account, state, passwordHash, expires, files } = row;
  const manifest = new PackedManifest(files.map(toFile));
  const site: Site = {
    deployment,
    passwordVersion: passwordHash === null ? null : passwordVersion(passwordHash),
    anonymous: account === null,
    manifest,
    rules: prepareRules(row.rules),
  };
  const rulesBytes = row.rules === null ? 0 : JSON.stringify(row.rules).length * RULE_FACTOR;
  return { site, account, state, expires, sizeBytes: SITE_BYTES + manifest.sizeBytes + rulesBytes };
}

const WAS_EXPIRED = `select from issued_id where id = $1 and expired is not null`;

/**
 * Loads a deployment as {@link loadSite} does. An id is never issued again, so that a deployment which expired is known as such
 * forever; `null` if it was deleted instead, or never existed. Source: serving S4.
 */
export async function loadSiteOrExpiry(core: Core, deployment: string): Promise<DeployedSite | typeof EXPIRED | null> {
  const site = await loadSite(core, deployment);
  if (site) return site;
  const expired = await core.database.prepared(WAS_EXPIRED, [deployment]);
  return expired.length > 0 ? EXPIRED : null;
}

/** The measured size in memory of a site without its manifest and rules, in bytes. */
const SITE_BYTES = 800;
/** The measured size in memory of rules, as a multiple of their length as JSON. */
const RULE_FACTOR = 8;

function toFile([path, sha256, pack, offset, length, formsPack, forms]: FileRow): ManifestFile {
  const file = { path, sha256, pack, offset, length };
  return formsPack === null || forms === null ? file : { ...file, compressed: toForms(formsPack, forms) };
}

function toForms(pack: string, forms: Partial<Record<Coding, CompressedForm>>): CompressedForms {
  return Object.fromEntries(
    Object.entries(forms).map(([coding, { sha256, offset, length }]) => [coding, { sha256, pack, offset, length }]),
  );
}
