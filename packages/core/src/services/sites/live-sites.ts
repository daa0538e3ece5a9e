import { sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import type { Core } from '../../core.ts';
import { hashAt } from '../packs/contents.ts';
import { passwordVersion } from './passwords.ts';
import type { LiveSites, Manifest, SiteAddress, SiteFile, Withheld } from '../../serving/site.ts';

const DEFAULT_CACHE_BYTES = 64 * 1024 * 1024;
const FILE_OVERHEAD_BYTES = 260;
const MOST_TRIES = 3;

interface SiteRow {
  state: 'shown' | Withheld;
  deployment: string;
  passwordHash: string | null;
  anonymous: boolean;
}

interface FileRow {
  path: string;
  sha256: string;
  pack: string;
  offset: number;
  length: number;
}

/**
 * The sites that may be answered right now. What is at an address, and whether it is shown, is asked of the database each
 * time, so that a switch, a take-down or a new password counts from the next request on, in every process. What a deployment
 * consists of never changes, so manifests are kept, the least recently used going first.
 *
 * @param cacheBytes How much memory the manifests may take, roughly.
 */
export function createLiveSites(core: Core, { cacheBytes = DEFAULT_CACHE_BYTES } = {}): LiveSites {
  const manifests = new LRUCache<string, Manifest>({
    maxSize: cacheBytes,
    sizeCalculation: (manifest) => {
      let size = FILE_OVERHEAD_BYTES;
      for (const path of manifest.keys()) size += path.length + FILE_OVERHEAD_BYTES;
      return size;
    },
    fetchMethod: (deployment) => loadManifest(core, deployment),
    // A load that `fresh` or a lack of room cut loose still answers those who wait for it.
    ignoreFetchAbort: true,
  });
  return {
    async find(address, { fresh = false } = {}) {
      // A deployment that a domain has just left can be gone before its manifest is read; then the domain is asked again.
      for (let tries = 0; tries < MOST_TRIES; tries += 1) {
        const row = await findSite(core, address);
        if (!row) return null;
        const { state, deployment, passwordHash, anonymous } = row;
        if (state !== 'shown') return state;
        if (fresh) manifests.delete(deployment);
        const manifest = await manifests.fetch(deployment);
        const version = passwordHash === null ? null : passwordVersion(passwordHash);
        if (manifest?.size)
          return { deployment, passwordVersion: version, anonymous, onDomain: 'domain' in address, manifest };
      }
      return null;
    },
  };
}

/** What is at an address, and whether it is shown, by one query: no answer mixes two moments. */
async function findSite(core: Core, address: SiteAddress): Promise<SiteRow | undefined> {
  const isLive = sql`d.status = 'success' and (d.expires is null or d.expires > ${core.now()})`;
  const [source, condition, isPaused] =
    'domain' in address
      ? [
          sql`domain n join account a on a.id = n.account_id left join deployment d on d.id = n.deployment_id and ${isLive}`,
          sql`n.name = ${address.domain} and n.verified is not null and n.status in ('success', 'paused')`,
          sql`a.state = 'suspended' or n.status = 'paused'`,
        ]
      : [
          sql`deployment d left join account a on a.id = d.account_id`,
          sql`d.id = ${address.deployment} and ${isLive}`,
          sql`a.state = 'suspended'`,
        ];
  const { rows } = await sql<SiteRow>`
    select s.* from (
      select d.id as deployment, d.password_hash as "passwordHash", d.account_id is null as anonymous,
        case when d.taken_down is not null then 'taken-down' when ${isPaused} then 'paused' else 'shown' end as state
      from ${source} where ${condition} and (a.state is null or a.state <> 'terminated')
    ) s where s.state <> 'shown' or s.deployment is not null`.execute(core.database.kysely);
  return rows[0];
}

/**
 * Reads a whole manifest with the places of its contents in one query. Empty when it has gone meanwhile, which is for ever;
 * never `undefined`, for which the cache would reject a load that it has cut loose.
 */
async function loadManifest(core: Core, deployment: string): Promise<Manifest> {
  const { rows } = await sql<FileRow>`
    select f.path, encode(c.hash, 'hex') as sha256, c.pack_id as pack, c."offset"::float8 as "offset", c.length::float8 as length
    from manifest m
    cross join unnest(m.paths) with ordinality as f (path, position)
    join content c on c.hash = ${hashAt(sql.ref('m.hashes'), 'f.position')}
    where m.deployment_id = ${deployment}`.execute(core.database.kysely);
  return new Map(rows.map(({ path, ...file }): [string, SiteFile] => [path, file]));
}
