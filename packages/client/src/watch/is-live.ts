import type { BerthClient } from '../client.ts';
import { wholeDomainName } from '../deploy/domain-name.ts';
import { ClientError } from '../errors.ts';

/**
 * Whether a deployment is live: whether the domain points at it or, without a domain, whether it exists permanently.
 *
 * @throws ClientError if the server cannot be reached.
 */
export async function isLive(
  { api }: BerthClient,
  deployment: string,
  domain: string | null,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    const known = await api.deployments.get.query({ deployment }, { signal });
    if (known.status !== 'success' || known.expires !== undefined) return false;
    if (domain === null) return true;
    return (
      (await api.domains.get.query({ domain: wholeDomainName(domain, known) }, { signal })).deployment === deployment
    );
  } catch (error) {
    // A deploy token is not allowed to ask, so assume that it is not live.
    if (error instanceof ClientError && (error.status === 404 || error.status === 403)) return false;
    throw error;
  }
}
