import type { SiteFolder } from './site-folder.ts';

/** Returns whether a site was published from a folder. A renamed site is found by its deployment. */
export function isSiteOf(
  { domain, deployment }: SiteFolder,
  site: { domain: string | null; deployment: string | null },
): boolean {
  return (domain !== null && domain === site.domain) || deployment === site.deployment;
}
