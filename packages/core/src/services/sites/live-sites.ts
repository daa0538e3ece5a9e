import type { Core } from '../../core.ts';
import { toUnavailable } from '../../database/outages.ts';
import type { Site } from '@berth/serving';
import {
  type DeployedSite,
  type DomainLink,
  loadLink,
  loadSite,
  resultForDeployment,
  resultForDomain,
  type SiteAddress,
  type SiteLookup,
} from './load-sites.ts';
import { createLoadingCache, type LoadingCache } from './loading-cache.ts';
import { SiteFreshness } from './site-freshness.ts';

/** How much memory the cache may use, roughly, and how long it is used while the database is unreachable. */
export interface SiteCacheLimits {
  /**
   * For deployments with their manifests and rules. In addition, the newest deployment that is larger than this is
   * cached.
   */
  sitesBytes: number;
  /** For the links of domains. */
  linksBytes: number;
  /** How long public sites are served from memory while the database is unreachable, in milliseconds. Source: api §10. */
  staleMs: number;
}

/** The sites that may be served right now. */
export type LiveSites = Pick<LiveSiteCache, 'peek' | 'find' | 'findFresh'>;

const MiB = 1024 * 1024;
const LIMITS: SiteCacheLimits = { sitesBytes: 20 * MiB, linksBytes: 4 * MiB, staleMs: 0 };
const LINK_BYTES = 400;
const MAX_TRIES = 3;

/**
 * The sites that can be served now, with a cache. A trigger in the database notifies every process of a change when it
 * commits, whichever process made it, and the entry is dropped. The cache counts as fresh only if the connection that
 * delivers the notifications has answered within the last second; otherwise the database is queried. So a change is
 * visible to the next visitor in the process that made it (`Database.transaction` waits for the notification), and
 * within a second everywhere, even if notifications are lost.
 *
 * While the database is unreachable, cached public sites are served for `staleMs` more. Everything else is
 * `unavailable`.
 *
 * Source: serving S2.
 */
export class LiveSiteCache {
  readonly #core: Core;
  readonly #staleMs: number;
  readonly #sites: LoadingCache<DeployedSite>;
  readonly #links: LoadingCache<DomainLink>;
  readonly #freshness: SiteFreshness;
  readonly #now: () => Date;

  constructor(core: Core, limits: Partial<SiteCacheLimits> = {}) {
    const { sitesBytes, linksBytes, staleMs } = { ...LIMITS, ...limits };
    this.#core = core;
    this.#staleMs = staleMs;
    this.#now = () => core.now();
    this.#sites = createLoadingCache({ maxBytes: sitesBytes, sizeOf: ({ sizeBytes }) => sizeBytes });
    this.#links = createLoadingCache({ maxBytes: linksBytes, sizeOf: () => LINK_BYTES });
    this.#freshness = new SiteFreshness(core.database.siteChanges, (payload) => this.#onChange(payload));
  }

  /**
   * The result of {@link find} if it is in the cache, else `undefined`. Returns the same object for the same site as long as it is
   * cached.
   */
  peek(address: SiteAddress): SiteLookup | undefined {
    return this.#freshness.isFresh() ? this.#peek(address) : undefined;
  }

  /**
   * Finds the site at an address. The response uses this site even if the domain is linked to another deployment a moment later.
   * `expires` is compared with the clock, so expiry does not depend on the sweep.
   *
   * @returns `null` for a deployment that does not exist, is not `success`, or is past its `expires`; for a domain that is not
   *   verified or not linked; for everything that belongs to a terminated account.
   * @throws ServiceError `unavailable` if the database is unavailable and the site is not cached.
   * Source: serving S2, S4; api §4, §6; storage C3.
   */
  async find(address: SiteAddress): Promise<SiteLookup> {
    try {
      return await this.#load(address, { fresh: false });
    } catch (error) {
      const stale = toUnavailable(error) && this.#peekStale(address);
      if (stale) return stale;
      throw error;
    }
  }

  /** Like {@link find}, but bypasses all caches: the bytes of files may have moved to another pack. */
  findFresh(address: SiteAddress): Promise<SiteLookup> {
    return this.#load(address, { fresh: true });
  }

  #onChange(payload: string | null): void {
    const { deployment, domain } = (payload === null ? {} : JSON.parse(payload)) as Record<string, string>;
    if (deployment !== undefined) this.#sites.forget(deployment);
    else if (domain !== undefined) this.#links.forget(domain);
    else {
      // An account changed, or notifications were lost: any entry may be stale.
      this.#sites.clear();
      this.#links.clear();
    }
  }

  /** The cached answer for an address; `undefined` if the cache is not enough. */
  #peek(address: SiteAddress): SiteLookup | undefined {
    if ('deployment' in address) return this.#peekDeployment(address.deployment);
    const link = this.#links.peek(address.domain);
    if (!link?.deployment) return link && resultForDomain(link, null);
    const found = this.#peekDeployment(link.deployment);
    return found === undefined ? undefined : resultForDomain(link, found);
  }

  #peekDeployment(deployment: string): SiteLookup | undefined {
    const site = this.#sites.peek(deployment);
    return site && resultForDeployment(site, this.#now);
  }

  async #load(address: SiteAddress, { fresh }: { fresh: boolean }): Promise<SiteLookup> {
    const how = !(await this.#freshness.ensureFresh()) || fresh ? 'reload' : 'get';
    if ('deployment' in address) return this.#loadDeployment(address.deployment, how);
    const { domain } = address;
    // A deployment that a domain no longer points at can be deleted before it is read. Then read the link again.
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const link = await this.#links[tries === 0 ? how : 'reload'](domain, () => loadLink(this.#core, domain));
      if (!link?.deployment) return link && resultForDomain(link, null);
      const found = await this.#loadDeployment(link.deployment, how);
      if (found !== null) return resultForDomain(link, found);
    }
    return null;
  }

  async #loadDeployment(deployment: string, how: 'get' | 'reload'): Promise<SiteLookup> {
    const site = await this.#sites[how](deployment, () => loadSite(this.#core, deployment));
    return site && resultForDeployment(site, this.#now);
  }

  /** The cached public site of an address, if it may be served without the database. */
  #peekStale(address: SiteAddress): Site | null {
    if (this.#freshness.ageMs > this.#staleMs) return null;
    const cached = this.#peek(address);
    return cached && typeof cached === 'object' && cached.passwordVersion === null ? cached : null;
  }
}
