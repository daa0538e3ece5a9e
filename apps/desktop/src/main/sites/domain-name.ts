import { type BerthClient, ClientError, findWholeName } from '@berth/client';

/** Returns the domain of a typed or pasted address, without protocol, port, path and query. */
export function readDomain(typed: string): string {
  return typed
    .trim()
    .toLowerCase()
    .replace(/^https?:\/\//, '')
    .replace(/[/?#].*/s, '')
    .replace(/:\d+$/, '');
}

/** Completes a typed domain to its full name. @throws ClientError; `refused` when the platform domain is unknown. */
export async function wholeName(client: BerthClient, typed: string): Promise<string> {
  const name = readDomain(typed);
  const fullName = await findWholeName(client, name);
  if (fullName !== null) return fullName;
  throw new ClientError('refused', `"${name}" is only the first part of a domain. Enter the full domain.`);
}
