import { kindOfCredential } from '@berth/contract';
import type { BerthClient } from '../client.ts';
import { ClientError } from '../errors.ts';
import type { LastDeployment } from '../folder/last-deployment.ts';
import { createRetryCounter, DEFAULT_RETRIES, retry } from '../retry.ts';
import { findWholeName } from './domain-name.ts';

const PAGE_FILES = 100;

/** A deployment and its files, to compare a folder with. */
export type ComparedDeployment = Pick<LastDeployment, 'deployment' | 'files'>;

/**
 * Finds the deployment that a domain shows, with its files.
 *
 * @param lastDeployment The last deployment of the folder. Its files are not read again if the domain still shows it.
 * @returns `null` if the domain shows nothing. Without an API key, which alone may read domains, the last deployment.
 * @throws ClientError.
 */
export async function findShownDeployment(
  client: BerthClient,
  domain: string,
  lastDeployment: LastDeployment | null,
  signal: AbortSignal,
): Promise<ComparedDeployment | null> {
  if (kindOfCredential(client.key ?? '') !== 'api') return lastDeployment;
  try {
    const wholeName = await findWholeName(client, domain, signal);
    if (wholeName === null) return null;
    const { deployment } = await client.api.domains.get.query({ domain: wholeName }, { signal });
    if (deployment === null) return null;
    if (deployment === lastDeployment?.deployment) return lastDeployment;
    return { deployment, files: await readDeploymentFiles(client, deployment, signal) };
  } catch (failure) {
    if (failure instanceof ClientError && failure.status === 404) return null;
    throw failure;
  }
}

/** Reads the SHA-256 of each file of a deployment, by path. Temporary failures are retried. @throws ClientError. */
async function readDeploymentFiles(
  { api }: BerthClient,
  deployment: string,
  signal: AbortSignal,
): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  const retries = createRetryCounter(DEFAULT_RETRIES, signal, () => {});
  for (let cursor: string | undefined; ;) {
    const query = { deployment, limit: PAGE_FILES, ...(cursor && { cursor }) };
    const page = await retry(() => api.deployments.files.query(query, { signal }), retries);
    retries.reset();
    const before = files.size;
    for (const { path, sha256 } of page.files) files.set(path, sha256);
    cursor = page.nextCursor;
    if (cursor === undefined) return files;
    if (files.size === before) throw new ClientError('server', 'The server sent a list of files that never ends.');
  }
}
