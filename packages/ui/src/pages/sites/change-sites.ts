import type { Site } from '@berth/contract';
import type { AccountApi, Answer, Problem } from '../../backend.ts';

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

/** Sets the labels of a site: those of its domain, or of its deployment. */
export function labelSite(api: AccountApi, { domain, deployment }: Site, labels: string[]): Promise<Answer<unknown>> {
  if (domain !== null) return api.putDomain({ domain, labels });
  return deployment === null ? Promise.resolve(done) : api.labelDeployment({ deployment, labels });
}

const done = { ok: true, value: undefined } as const;
