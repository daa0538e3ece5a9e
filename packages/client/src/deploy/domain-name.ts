import type { DomainValidation, Limits } from '@berth/contract';
import type { BerthClient } from '../client.ts';
import { ClientError } from '../errors.ts';

/**
 * Returns the full name of a domain. A name without a dot is a subdomain of the platform domain.
 *
 * @param deployment Any deployment of the server. Its address contains the platform domain.
 */
export function wholeDomainName(name: string, { deployment, url }: { deployment: string; url: string }): string {
  return name.includes('.') ? name : `${name}.${new URL(url).hostname.slice(deployment.length + 1)}`;
}

/**
 * Returns the full name of a domain. The server names the platform domain, for any credential.
 *
 * @returns `null` if the server is too old to name the platform domain. @throws ClientError.
 */
export async function findWholeName({ api }: BerthClient, name: string, signal?: AbortSignal): Promise<string | null> {
  if (name.includes('.')) return name;
  const { platformDomain }: Partial<Limits> = await api.platform.limits.query(undefined, { signal });
  return platformDomain === undefined ? null : `${name}.${platformDomain}`;
}

/**
 * Like {@link findWholeName}, for a request that needs the full name.
 *
 * @throws ClientError, of the kind `refused` if the server is too old to name the platform domain.
 */
export async function requireWholeName(client: BerthClient, name: string, signal?: AbortSignal): Promise<string> {
  const wholeName = await findWholeName(client, name, signal);
  if (wholeName !== null) return wholeName;
  throw new ClientError(
    'refused',
    `${client.server.host} does not name its platform domain. Use the full name of ${name}.`,
  );
}

/**
 * Asks the server whether the account can use a domain.
 *
 * @returns `null` if the full name is unknown, because the server is too old to name the platform domain. @throws ClientError. Source: api §4.
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
 * Throws if the account cannot use a domain. Skips the check if the server cannot perform it now.
 *
 * @throws ClientError of the kind `refused` or `aborted`.
 */
export async function refuseUnusableDomain(client: BerthClient, name: string, signal?: AbortSignal): Promise<void> {
  const validation = await validateDomain(client, name, signal).catch((failure: unknown) => {
    if (failure instanceof ClientError && failure.kind !== 'aborted') return null;
    throw failure;
  });
  if (validation === null || (validation.valid && validation.available)) return;
  throw new ClientError(
    'refused',
    `${name} cannot be used: ${validation.reason ?? 'another account uses this domain'}.`,
  );
}
