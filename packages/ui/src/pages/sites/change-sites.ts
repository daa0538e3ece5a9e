import type { Site } from '@berth/contract';
import type { AccountApi, Answer, Problem, SitesApi } from '../../backend.ts';

type Apis = AccountApi & Pick<SitesApi, 'listVersions'>;

/** The result of a change of several sites: those that were changed, and why the first other one was not. */
interface BulkResult {
  changed: Site[];
  problem: Problem | null;
}

/** Changes several sites, one after the other. A site that cannot be changed does not stop the others. */
export async function changeSites(
  sites: readonly Site[],
  change: (site: Site) => Promise<Answer<unknown>>,
): Promise<BulkResult> {
  const result: BulkResult = { changed: [], problem: null };
  for (const site of sites) {
    const answer = await change(site);
    if (answer.ok) result.changed.push(site);
    else result.problem ??= answer.problem;
  }
  return result;
}

/**
 * Deletes a site. At a domain, this deletes the domain and then every version that it showed, except the versions that another
 * domain shows.
 */
export async function deleteSite(api: Apis, { domain, deployment }: Site): Promise<Answer<unknown>> {
  if (domain === null) return deployment === null ? done : api.deleteDeployment({ deployment });
  const versions = await listDeployments(api, domain);
  if (!versions.ok) return versions;
  const deleted = await api.deleteDomain({ domain });
  if (!deleted.ok) return deleted;
  for (const each of new Set([...versions.value, ...(deployment === null ? [] : [deployment])])) {
    const answer = await api.deleteDeployment({ deployment: each });
    // The server refuses to delete what another domain shows, and what is already deleted.
    if (!answer.ok && answer.problem.kind !== 'refused') return answer;
  }
  return done;
}

/** Sets the labels of a site: those of its domain, or of its deployment. */
export function labelSite(api: AccountApi, { domain, deployment }: Site, labels: string[]): Promise<Answer<unknown>> {
  if (domain !== null) return api.putDomain({ domain, labels });
  return deployment === null ? Promise.resolve(done) : api.labelDeployment({ deployment, labels });
}

const done = { ok: true, value: undefined } as const;

/** Lists the deployments that a domain showed and that are not deleted. */
async function listDeployments({ listVersions }: Apis, domain: string): Promise<Answer<string[]>> {
  const deployments: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await listVersions({ domain, cursor });
    if (!page.ok) return page;
    for (const { deployment, published } of page.value.versions) if (published !== null) deployments.push(deployment);
    cursor = page.value.nextCursor;
  } while (cursor !== undefined);
  return { ok: true, value: deployments };
}
