import type { Core } from '../../core.ts';
import { asUnavailable } from '../../database/outages.ts';
import type { Found, LiveSites, Site, SiteAddress } from '../../serving/site.ts';
import { type DeployedSite, type DomainLink, loadLink, loadSite, shown, shownBy } from './load-sites.ts';
import { createLoadingCache } from './loading-cache.ts';

/** How much memory what is kept may take, roughly, and for how long it outlives the database. */
export interface SiteCacheLimits {
  /** For deployments with their manifests and rules. The newest that is larger than this is kept besides. */
  sitesBytes: number;
  /** For what domains are linked to. */
  linksBytes: number;
  /** How long public sites are served from memory while the database is unreachable, in milliseconds. Source: contract §10. */
  staleMs: number;
}

const MiB = 1024 * 1024;
const LIMITS: SiteCacheLimits = { sitesBytes: 20 * MiB, linksBytes: 4 * MiB, staleMs: 0 };
const LINK_BYTES = 400;
const MOST_TRIES = 3;
/** For how long what is kept is believed after the database has confirmed that word of every change has arrived. */
const TRUST_MS = 1_000;
/** After which the database is asked again, while what is kept goes on being believed. */
const CONFIRM_MS = 300;

/**
 * The sites that may be answered right now. What is found is kept until the database tells that it is shown otherwise: a
 * trigger says so when the change commits, whoever made it. What is kept counts only while the connection on which that is
 * told has answered within the last second; else the database is asked. So a change is seen by the next visitor in the
 * process that made it (`Database.transaction` waits for the word), and within a second everywhere, also when words are lost.
 *
 * While the database is unreachable, public sites that are kept are answered for `staleMs` more; everything else is `unavailable`.
 *
 * Source: serving S2; architecture "Serving".
 */
export function createLiveSites(core: Core, limits: Partial<SiteCacheLimits> = {}): LiveSites {
  const { sitesBytes, linksBytes, staleMs } = { ...LIMITS, ...limits };
  const now = () => core.now();
  const news = core.database.siteNews;
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
  /** Up to when what is kept is known to be what the database holds, by `performance.now()`. */
  let confirmedUntil = -Infinity;

  function hear(payload: string | null): void {
    const { deployment, domain } = (payload === null ? {} : JSON.parse(payload)) as Record<string, string>;
    if (deployment !== undefined) sites.forget(deployment);
    else if (domain !== undefined) links.forget(domain);
    else {
      // An account, or words that were lost: anything may be shown otherwise.
      sites.clear();
      links.clear();
    }
  }

  /** Whether what is kept can be believed at once. Sees to it that it stays so. */
  function isTrusted(): boolean {
    confirmedUntil = Math.max(confirmedUntil, news.toldUntil);
    const age = performance.now() - news.toldUntil;
    if (age > CONFIRM_MS && !confirming) {
      confirming = true;
      void news.settle().finally(() => (confirming = false));
    }
    return age <= TRUST_MS;
  }

  /** Sees to it that what is kept can be believed. @returns False when it cannot, and the database has to be asked. */
  async function earnTrust(): Promise<boolean> {
    // What was found while nobody listened may be shown otherwise by now.
    listening ??= news.listen(hear).then(() => hear(null));
    try {
      await listening;
    } catch {
      listening = null;
      return false;
    }
    return isTrusted() || news.settle();
  }

  /** What is kept of an address; `undefined` when that is not enough. */
  function peek(address: SiteAddress): Found | undefined {
    if ('deployment' in address) {
      const site = sites.peek(address.deployment);
      return site && shown(site, now);
    }
    const link = links.peek(address.domain);
    if (!link?.deployment) return link && shownBy(link, null);
    const site = sites.peek(link.deployment);
    return site === undefined ? undefined : shownBy(link, site && shown(site, now));
  }

  async function load(address: SiteAddress, { fresh }: { fresh: boolean }): Promise<Found> {
    const how = !(await earnTrust()) || fresh ? 'reload' : 'get';
    const find = async (deployment: string) => {
      const site = await sites[how](deployment, () => loadSite(core, deployment));
      return site && shown(site, now);
    };
    if ('deployment' in address) return find(address.deployment);
    // A deployment that a domain has just left can be gone before it is read; then the domain is asked again.
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const link = await links[tries === 0 ? how : 'reload'](address.domain, () => loadLink(core, address.domain));
      if (!link?.deployment) return link && shownBy(link, null);
      const found = await find(link.deployment);
      if (found !== null) return shownBy(link, found);
    }
    return null;
  }

  /** The public site that is kept of an address, if it may stand in for the database. */
  function peekStale(address: SiteAddress): Site | null {
    if (performance.now() - confirmedUntil > staleMs) return null;
    const kept = peek(address);
    return kept && typeof kept === 'object' && kept.passwordVersion === null ? kept : null;
  }

  async function find(address: SiteAddress): Promise<Found> {
    try {
      return await load(address, { fresh: false });
    } catch (error) {
      const stale = asUnavailable(error) && peekStale(address);
      if (stale) return stale;
      throw error;
    }
  }

  return {
    peek: (address) => (isTrusted() ? peek(address) : undefined),
    find,
    refind: (address) => load(address, { fresh: true }),
  };
}
