import { sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import type { Core } from '../core.ts';
import { hashAt } from './contents.ts';
import type { LiveSites, Manifest, Site, SiteFile } from '../serving/site.ts';

const DEFAULT_CACHE_BYTES = 64 * 1024 * 1024;
const FILE_OVERHEAD_BYTES = 260;

interface SiteRow {
  locked: boolean;
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
 * The sites that may be answered right now. Whether one may is asked of the database each time; what it consists of never
 * changes, so manifests are kept, the least recently used going first.
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
    async find(deployment, { fresh = false } = {}): Promise<Site | null> {
      const row = await findSite(core, deployment);
      if (!row) return null;
      if (fresh) manifests.delete(deployment);
      const manifest = await manifests.fetch(deployment);
      return manifest ? { deployment, ...row, manifest } : null;
    },
  };
}

async function findSite(core: Core, deployment: string): Promise<SiteRow | undefined> {
  const { rows } = await sql<SiteRow>`
    select d.password_hash is not null as locked, d.account_id is null as anonymous
    from deployment d left join account a on a.id = d.account_id
    where d.id = ${deployment} and d.status = 'success' and (d.expires is null or d.expires > ${core.now()})
      and (a.state is null or a.state = 'active')`.execute(core.database.em().getKysely());
  return rows[0];
}

/** Reads a whole manifest with the places of its contents in one query. `undefined` when it has gone meanwhile. */
async function loadManifest(core: Core, deployment: string): Promise<Manifest | undefined> {
  const { rows } = await sql<FileRow>`
    select f.path, encode(c.hash, 'hex') as sha256, c.pack_id as pack, c."offset"::float8 as "offset", c.length::float8 as length
    from manifest m
    cross join unnest(m.paths) with ordinality as f (path, position)
    join content c on c.hash = ${hashAt(sql.ref('m.hashes'), 'f.position')}
    where m.deployment_id = ${deployment}`.execute(core.database.em().getKysely());
  if (rows.length === 0) return undefined;
  return new Map(rows.map(({ path, ...file }): [string, SiteFile] => [path, file]));
}
