import type { DomainValidation } from '@berth/contract';
import type { BerthClient } from '../client.ts';
import { ClientError } from '../errors.ts';

/**
 * Returns the full name of a domain. A name without a dot is a subdomain of the platform domain, which is taken from the
 * address of a deployment.
 *
 * @param deployment Any deployment of the same server.
 */
export function wholeDomainName(name: string, { deployment, url }: { deployment: string; url: string }): string {
  return name.includes('.') ? name : `${name}.${new URL(url).hostname.slice(deployment.length + 1)}`;
}

/**
 * Returns the full name of a domain, based on the newest deployment of the account.
 *
 * @returns `null` if it is unknown because nothing was published yet. @throws ClientError.
 */
export async function findWholeName({ api }: BerthClient, name: string, signal?: AbortSignal): Promise<string | null> {
  if (name.includes('.')) return name;
  const { deployments } = await api.deployments.list.query({ limit: 1 }, { signal });
  return deployments[0] ? wholeDomainName(name, deployments[0]) : null;
}

/**
 * Asks the server whether the account can use a domain.
 *
 * @returns `null` if that cannot be known before something is published. @throws ClientError. Source: api §4.
 */
export async function validateDomain(
  client: BerthClient,
  name: string,
  signal?: AbortSignal,
): Promise<DomainValidation | null> {
  const domain = await findWholeName(client, name, signal);
  return domain === null ? null : client.api.domains.validate.mutate({ domain }, { signal });
}

/**
 * Throws if the account cannot use a domain. If the server cannot answer, this check is skipped, and the error comes when the
 * domain is linked.
 *
 * @throws ClientError of the kind `refused` or `aborted`.
 */
export async function refuseUnusableDomain(client: BerthClient, name: string, signal?: AbortSignal): Promise<void> {
  const validation = await validateDomain(client, name, signal).catch((failure: unknown) => {
    if (failure instanceof ClientError && failure.kind !== 'aborted') return null;
    throw failure;
  });
  if (validation === null || (validation.valid && validation.available)) return;
  throw new ClientError('refused', `${name} cannot be used: ${validation.reason ?? 'another account has it'}.`);
}
