import type { Core } from '../../core.ts';
import { toUnavailable } from '../../database/outages.ts';
import type { SiteLookup, LiveSites, Site, SiteAddress } from '../../serving/site.ts';
import { type DeployedSite, type DomainLink, loadLink, loadSite, lookupAt, lookupThroughDomain } from './load-sites.ts';
import { createLoadingCache } from './loading-cache.ts';

/** How much memory the cache may use, roughly, and how long it is used while the database is unreachable. */
export interface SiteCacheLimits {
  /**
   * For deployments with their manifests and rules. In addition, the newest deployment that is larger than this is
   * cached.
   */
  sitesBytes: number;
  /** For the links of domains. */
  linksBytes: number;
  /** How long public sites are served from memory while the database is unreachable, in milliseconds. Source: contract §10. */
  staleMs: number;
}

const MiB = 1024 * 1024;
const LIMITS: SiteCacheLimits = { sitesBytes: 20 * MiB, linksBytes: 4 * MiB, staleMs: 0 };
const LINK_BYTES = 400;
const MAX_TRIES = 3;
/** How long the cache counts as fresh after the database has confirmed that all notifications have arrived. */
const FRESH_MS = 1_000;
/** The age at which a new confirmation is requested. The cache stays fresh meanwhile. */
const CONFIRM_MS = 300;

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
 * Source: serving S2; architecture "Serving".
 */
export function createLiveSites(core: Core, limits: Partial<SiteCacheLimits> = {}): LiveSites {
  const { sitesBytes, linksBytes, staleMs } = { ...LIMITS, ...limits };
  const now = () => core.now();
  const changes = core.database.siteChanges;
  const sites = createLoadingCache<DeployedSite>({
    maxBytes: sitesBytes,
    sizeOf: ({ sizeBytes }) => sizeBytes,
  });
  const links = createLoadingCache<DomainLink>({
    maxBytes: linksBytes,
    sizeOf: () => LINK_BYTES,
  });
  let listening: Promise<void> | null = null;
  let confirming = false;
  /** The time until which the cache is known to match the database, by `performance.now()`. */
  let lastConfirmedAt = -Infinity;

  function onChange(payload: string | null): void {
    const { deployment, domain } = (payload === null ? {} : JSON.parse(payload)) as Record<string, string>;
    if (deployment !== undefined) sites.forget(deployment);
    else if (domain !== undefined) links.forget(domain);
    else {
      // An account changed, or notifications were lost: any entry may be stale.
      sites.clear();
      links.clear();
    }
  }

  /** True if the cache is fresh now. Requests a new confirmation when one is due. */
  function isFresh(): boolean {
    lastConfirmedAt = Math.max(lastConfirmedAt, changes.confirmedAt);
    const age = performance.now() - changes.confirmedAt;
    if (age > CONFIRM_MS && !confirming) {
      confirming = true;
      void changes.catchUp().finally(() => (confirming = false));
    }
    return age <= FRESH_MS;
  }

  /** Waits until the cache is fresh. @returns False if it cannot be confirmed, so that the database must be queried. */
  async function ensureFresh(): Promise<boolean> {
    // Entries that were loaded before the subscription started may be stale.
    listening ??= changes.listen(onChange).then(() => onChange(null));
    try {
      await listening;
    } catch {
      listening = null;
      return false;
    }
    return isFresh() || changes.catchUp();
  }

  /** The cached answer for an address; `undefined` if the cache is not enough. */
  function peek(address: SiteAddress): SiteLookup | undefined {
    if ('deployment' in address) {
      const site = sites.peek(address.deployment);
      return site && lookupAt(site, now);
    }
    const link = links.peek(address.domain);
    if (!link?.deployment) return link && lookupThroughDomain(link, null);
    const site = sites.peek(link.deployment);
    return site === undefined ? undefined : lookupThroughDomain(link, site && lookupAt(site, now));
  }

  async function load(address: SiteAddress, { fresh }: { fresh: boolean }): Promise<SiteLookup> {
    const how = !(await ensureFresh()) || fresh ? 'reload' : 'get';
    const find = async (deployment: string) => {
      const site = await sites[how](deployment, () => loadSite(core, deployment));
      return site && lookupAt(site, now);
    };
    if ('deployment' in address) return find(address.deployment);
    // A deployment that a domain no longer points at can be deleted before it is read. Then read the link again.
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const link = await links[tries === 0 ? how : 'reload'](address.domain, () => loadLink(core, address.domain));
      if (!link?.deployment) return link && lookupThroughDomain(link, null);
      const found = await find(link.deployment);
      if (found !== null) return lookupThroughDomain(link, found);
    }
    return null;
  }

  /** The cached public site of an address, if it may be served without the database. */
  function peekStale(address: SiteAddress): Site | null {
    if (performance.now() - lastConfirmedAt > staleMs) return null;
    const kept = peek(address);
    return kept && typeof kept === 'object' && kept.passwordVersion === null ? kept : null;
  }

  async function find(address: SiteAddress): Promise<SiteLookup> {
    try {
      return await load(address, { fresh: false });
    } catch (error) {
      const stale = toUnavailable(error) && peekStale(address);
      if (stale) return stale;
      throw error;
    }
  }

  return {
    peek: (address) => (isFresh() ? peek(address) : undefined),
    find,
    findFresh: (address) => load(address, { fresh: true }),
  };
}
