import { type BerthClient, ClientError, wholeDomainName } from '@berth/client';

/** A domain as people type or paste it, without what a browser shows around it. */
export function readDomain(typed: string): string {
  return typed
    .trim()
    .toLowerCase()
    .replace(/^https?:\/\//, '')
    .replace(/[/?#].*$/, '')
    .replace(/:\d+$/, '');
}

/**
 * The whole name of a domain: one without a dot is a name below the platform domain, which the newest deployment tells.
 *
 * @param name As {@link readDomain} gives it.
 * @returns `null` when it is not known: nothing was published yet. @throws ClientError.
 */
export async function findWholeName({ api }: BerthClient, name: string): Promise<string | null> {
  if (name.includes('.')) return name;
  const { deployments } = await api.deployments.list.query({ limit: 1 });
  return deployments[0] ? wholeDomainName(name, deployments[0]) : null;
}

/** The same. @throws ClientError `refused` too, when it is not known. */
export async function wholeName(client: BerthClient, typed: string): Promise<string> {
  const name = readDomain(typed);
  const whole = await findWholeName(client, name);
  if (whole === null)
    throw new ClientError(
      'refused',
      `"${name}" is only the first part of a name. Publish something first, or give the whole name.`,
    );
  return whole;
}
