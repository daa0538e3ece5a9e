import { ClientError, createClient } from '@berth/client';
import { PlanList } from '@berth/contract';

/**
 * Makes sure that a Berth answers at an origin, by asking for what it tells everybody.
 *
 * @returns The origin that answered: that of a redirect, when it leads elsewhere. Never `http:` when `https:` was asked.
 * @throws ClientError: `network` and `unavailable` when nobody answers, `refused` when it is something else that does.
 */
export async function findServer(
  origin: string,
  { fetch, signal }: { fetch: typeof globalThis.fetch; signal: AbortSignal },
): Promise<string> {
  let answeredBy = origin;
  const following: typeof globalThis.fetch = async (input, init) => {
    // This one request carries no key, and its redirect is what is looked for.
    const response = await fetch(input, { ...init, redirect: 'follow' });
    if (response.redirected) answeredBy = new URL(response.url).origin;
    return response;
  };
  const { host } = new URL(origin);
  const isPlans = await createClient({ server: origin, fetch: following })
    .api.plans.list.query(undefined, { signal })
    .then(
      (plans) => PlanList.safeParse(plans).success,
      (error: unknown) => {
        if (error instanceof ClientError && error.kind !== 'network' && error.kind !== 'unavailable') return false;
        throw error;
      },
    );
  if (signal.aborted) throw new ClientError('network', `${host} does not answer.`);
  if (!isPlans) throw new ClientError('refused', `${host} answers, but it is no Berth server.`);
  if (origin.startsWith('https:') && answeredBy.startsWith('http:'))
    throw new ClientError('refused', `${host} leads to a connection that is not protected.`);
  return answeredBy;
}
