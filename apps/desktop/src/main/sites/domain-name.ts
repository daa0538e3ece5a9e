import { type BerthClient, ClientError, findWholeName } from '@berth/client';

/** Reduces a typed or pasted address to its domain: no protocol, port, path or query. */
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
  const whole = await findWholeName(client, name);
  if (whole === null)
    throw new ClientError(
      'refused',
      `"${name}" is only the first part of a domain. Enter the full domain, or publish something first.`,
    );
  return whole;
}
