import type { BerthClient } from '../client.ts';
import { wholeDomainName } from '../deploy/domain-name.ts';
import { ClientError } from '../errors.ts';

/**
 * Asks the server whether a deployment is what it shows: at the domain, or, without one, at all.
 *
 * @throws ClientError when the server cannot be asked.
 */
export async function isShown(
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
    // A deploy token may not ask: then it is not known.
    if (error instanceof ClientError && (error.status === 404 || error.status === 403)) return false;
    throw error;
  }
}
