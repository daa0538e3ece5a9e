import type { Core } from '../../core.ts';
import type { Change } from '../../database/change-reader.ts';
import { toUnavailable } from '../../database/outages.ts';
import type { Site, SiteFile } from '@berth/serving';
import { CompleteManifest } from './complete-manifest.ts';
import { loadFile, loadFiles } from './load-files.ts';
import {
  type DeployedSite,
  type DomainLink,
  type EXPIRED,
  loadLink,
  type LoadManifest,
  loadSiteOrExpiry,
  resultForDeployment,
  resultForDomain,
  type SiteAddress,
  type SiteLookup,
  type SizedManifest,
} from './load-sites.ts';
import { createLoadingCache, type LoadingCache } from './loading-cache.ts';
import { SiteFreshness } from './site-freshness.ts';
import { type FileLoader, SiteManifest } from './site-manifest.ts';

interface SiteCacheLimits {
  /** Approximate memory for deployments, in bytes. In addition, one larger deployment is cached. */
  sitesBytes: number;
  /** Approximate memory for files of deployments, in bytes. If `staleMs` is not 0, deployments have their files with them and use it too. */
  filesBytes: number;
  /** Approximate memory for the links of domains, in bytes. */
  linksBytes: number;
  /** How long public sites are served while the database is unreachable, in milliseconds. Source: api §10. */
  staleMs: number;
}

/** Finds the sites that may be served now. */
export type LiveSites = Pick<LiveSiteCache, 'peek' | 'find' | 'findFresh'>;

const MiB = 1024 * 1024;
const LIMITS: SiteCacheLimits = { sitesBytes: 12 * MiB, filesBytes: 8 * MiB, linksBytes: 4 * MiB, staleMs: 0 };
const LINK_BYTES = 400;
/** The measured memory of a file without compressed forms, and of each form, in bytes. */
const FILE_BYTES = 500;
const FORM_BYTES = 250;
const MAX_TRIES = 3;

/**
 * Finds the sites that may be served now, with a cache. Each process polls the change log of the database and drops the entries
 * that changed. The cache is fresh only if the log was read within the last second; while the cache is stale, the database is queried. While the database is unreachable, cached
 * public sites are served for `staleMs` more, and all other sites are `unavailable`. Source: serving S2.
 */
export class LiveSiteCache {
  readonly #core: Core;
  readonly #staleMs: number;
  readonly #sites: LoadingCache<DeployedSite | typeof EXPIRED>;
  readonly #loader: FileLoader;
  readonly #links: LoadingCache<DomainLink>;
  readonly #freshness: SiteFreshness;
  readonly #now: () => Date;

  constructor(core: Core, limits: Partial<SiteCacheLimits> = {}) {
    const { sitesBytes, filesBytes, linksBytes, staleMs } = { ...LIMITS, ...limits };
    this.#core = core;
    this.#staleMs = staleMs;
    this.#now = () => core.now();
    this.#sites = createLoadingCache({
      name: 'site',
      maxBytes: sitesBytes + (staleMs > 0 ? filesBytes : 0),
      sizeOf: ({ sizeBytes }) => sizeBytes,
    });
    this.#loader = {
      files: createLoadingCache({ name: 'file', maxBytes: filesBytes, sizeOf: fileBytes }),
      loadFile: (deployment, rank) => loadFile(core, deployment, rank),
    };
    this.#links = createLoadingCache({ name: 'link', maxBytes: linksBytes, sizeOf: () => LINK_BYTES });
    this.#freshness = new SiteFreshness(core.database.changes, (change) => this.#onChange(change));
  }

  /** The cached result of {@link find}, or `undefined`. Returns the same object for a site while the site is cached. */
  peek(address: SiteAddress): SiteLookup | undefined {
    return this.#freshness.isFresh() ? this.#peek(address) : undefined;
  }

  /**
   * Finds the site at an address. `expires` is compared with the clock, so expiry does not depend on the sweep.
   *
   * @returns `expired` for a deployment that has expired; `null` for one that does not exist or is not `success`; for a domain that is not
   *   verified or not linked; for everything of a terminated account.
   * @throws ServiceError `unavailable` if the database is unavailable and the site is not cached.
   * Source: serving S2, S4; api §4, §6; storage C3.
   */
  async find(address: SiteAddress): Promise<SiteLookup> {
    try {
      return await this.#load(address, { fresh: false });
    } catch (error) {
      const staleSite = toUnavailable(error) && this.#peekStale(address);
      if (staleSite) return staleSite;
      throw error;
    }
  }

  /** Like {@link find}, but bypasses the cache, because the bytes of files may have moved to another pack. */
  findFresh(address: SiteAddress): Promise<SiteLookup> {
    return this.#load(address, { fresh: true });
  }

  /** A site that may be served during an outage has all its files in memory. Otherwise requested files are loaded. */
  readonly #loadManifest: LoadManifest = (deployment, keys) =>
    this.#staleMs > 0
      ? this.#loadCompleteManifest(deployment)
      : { manifest: new SiteManifest(deployment, keys, this.#loader), sizeBytes: keys.sizeBytes };

  async #loadCompleteManifest(deployment: string): Promise<SizedManifest | null> {
    const files = await loadFiles(this.#core, deployment);
    if (!files) return null;
    const sizeBytes = files.values().reduce((bytes, file) => bytes + fileBytes(file), 0);
    return { manifest: new CompleteManifest(files), sizeBytes };
  }

  #onChange(change: Change | null): void {
    switch (change?.kind) {
      case 'deployment':
        return this.#sites.forget(change.key);
      case 'domain':
        return this.#links.forget(change.key);
      case 'account':
        this.#sites.forgetWhere((site) => 'account' in site && site.account === change.key);
        return this.#links.forgetWhere((link) => link.account === change.key);
      case undefined:
        this.#sites.clear();
        this.#links.clear();
    }
  }

  #peek(address: SiteAddress): SiteLookup | undefined {
    if ('deployment' in address) return this.#peekDeployment(address.deployment);
    const link = this.#links.peek(address.domain);
    if (!link?.deployment) return link && resultForDomain(link, null);
    const cachedDeployment = this.#peekDeployment(link.deployment);
    return cachedDeployment === undefined ? undefined : resultForDomain(link, cachedDeployment);
  }

  #peekDeployment(deployment: string): SiteLookup | undefined {
    const site = this.#sites.peek(deployment);
    return site && resultForDeployment(site, this.#now);
  }

  async #load(address: SiteAddress, { fresh }: { fresh: boolean }): Promise<SiteLookup> {
    const loadMode = !(await this.#freshness.ensureFresh()) || fresh ? 'reload' : 'get';
    if ('deployment' in address) return this.#loadDeployment(address.deployment, loadMode);
    const { domain } = address;
    // If the domain is switched, the old deployment may be deleted before it is loaded. Then the link is loaded again.
    for (let tryCount = 0; tryCount < MAX_TRIES; tryCount += 1) {
      const link = await this.#links[tryCount === 0 ? loadMode : 'reload'](domain, () => loadLink(this.#core, domain));
      if (!link?.deployment) return link && resultForDomain(link, null);
      const loadedDeployment = await this.#loadDeployment(link.deployment, loadMode);
      if (loadedDeployment !== null) return resultForDomain(link, loadedDeployment);
    }
    return null;
  }

  async #loadDeployment(deployment: string, how: 'get' | 'reload'): Promise<SiteLookup> {
    const site = await this.#sites[how](deployment, () => loadSiteOrExpiry(this.#core, deployment, this.#loadManifest));
    return site && resultForDeployment(site, this.#now);
  }

  /** The cached public site of an address; `null` if the cache is too old or has no public site. */
  #peekStale(address: SiteAddress): Site | null {
    if (this.#freshness.ageMs > this.#staleMs) return null;
    const cachedSite = this.#peek(address);
    return cachedSite && typeof cachedSite === 'object' && cachedSite.passwordVersion === null ? cachedSite : null;
  }
}

function fileBytes({ compressed = {} }: SiteFile): number {
  return FILE_BYTES + FORM_BYTES * Object.keys(compressed).length;
}
