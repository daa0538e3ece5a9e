import { type BerthClient, findWholeName } from '@berth/client';
import { kindOfCredential } from '@berth/contract';
import { parseSite } from '../values.ts';

/**
 * Returns the full name of a domain. A name without a dot is a subdomain of the platform domain, which is taken from the newest
 * deployment. If nothing was published yet, the name stays unchanged.
 *
 * @throws ClientError.
 */
export async function fullDomain(client: BerthClient, typed: string): Promise<string> {
  const name = parseSite(typed);
  // Without an API key there are no domains. The call that needs the key reports that.
  if (name.includes('.') || kindOfCredential(client.key ?? '') !== 'api') return name;
  return (await findWholeName(client, name)) ?? name;
}
