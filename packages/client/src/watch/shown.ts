import type { BerthClient } from '../client.ts';
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
    if (domain !== null) return (await api.domains.get.query({ domain }, { signal })).deployment === deployment;
    const { status, expires } = await api.deployments.get.query({ deployment }, { signal });
    return status === 'success' && expires === undefined;
  } catch (error) {
    // A deploy token may not ask: then it is not known.
    if (error instanceof ClientError && (error.status === 404 || error.status === 403)) return false;
    throw error;
  }
}
