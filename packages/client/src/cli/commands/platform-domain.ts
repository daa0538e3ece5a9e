import { kindOfCredential } from '@berth/contract';
import type { BerthClient } from '../../client.ts';
import { findWholeName } from '../../deploy/domain-name.ts';
import { readSite } from '../values.ts';

/**
 * The whole name of a domain: one without a dot is a name below the platform domain, as the newest deployment tells it.
 * Where nothing is published yet the name stays as it is.
 *
 * @throws ClientError.
 */
export async function fullDomain(client: BerthClient, typed: string): Promise<string> {
  const name = readSite(typed);
  // Without an API key there is no domain either: that is for the call to say which wants one.
  if (name.includes('.') || kindOfCredential(client.key ?? '') !== 'api') return name;
  return (await findWholeName(client, name)) ?? name;
}
