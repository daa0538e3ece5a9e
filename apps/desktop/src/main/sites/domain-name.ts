import { type BerthClient, ClientError, findWholeName } from '@berth/client';

/** A domain as people type or paste it, without what a browser shows around it. */
export function readDomain(typed: string): string {
  return typed
    .trim()
    .toLowerCase()
    .replace(/^https?:\/\//, '')
    .replace(/[/?#].*/s, '')
    .replace(/:\d+$/, '');
}

/** The whole name of a domain as it is typed. @throws ClientError; `refused` when it is not known. */
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
