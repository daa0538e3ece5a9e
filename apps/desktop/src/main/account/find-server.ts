import { ClientError, createClient } from '@berth/client';
import { PlanList } from '@berth/contract';

/**
 * Checks that an origin is a Berth server by reading the server's public list of plans.
 *
 * @returns The origin that responded, after redirects. Never `http:` when `origin` is `https:`.
 * @throws ClientError: `network` and `unavailable` without a response, `refused` when the response is not from a Berth server.
 */
export async function findServer(
  origin: string,
  { fetch, signal }: { fetch: typeof globalThis.fetch; signal: AbortSignal },
): Promise<string> {
  let finalOrigin = origin;
  const fetchAndRecord: typeof globalThis.fetch = async (input, init) => {
    // The request carries no key. It must follow redirects to find the final origin.
    const response = await fetch(input, { ...init, redirect: 'follow' });
    if (response.redirected) finalOrigin = new URL(response.url).origin;
    return response;
  };
  const { host } = new URL(origin);
  const isPlans = await createClient({ server: origin, fetch: fetchAndRecord })
    .api.plans.list.query(undefined, { signal })
    .then(
      (plans) => PlanList.safeParse(plans).success,
      (error: unknown) => {
        if (error instanceof ClientError && error.kind !== 'network' && error.kind !== 'unavailable') return false;
        throw error;
      },
    );
  if (signal.aborted) throw new ClientError('network', `${host} is not responding.`);
  if (!isPlans) throw new ClientError('refused', `${host} is not a Berth server.`);
  if (origin.startsWith('https:') && finalOrigin.startsWith('http:'))
    throw new ClientError('refused', `${host} redirects to an unencrypted connection.`);
  return finalOrigin;
}
