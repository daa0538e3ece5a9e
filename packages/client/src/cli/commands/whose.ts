import { kindOfCredential } from '@berth/contract';
import type { BerthClient } from '../../client.ts';

/**
 * Asks the server whose a client's key is.
 *
 * @returns The e-mail address of the account; `null` for a deploy token, which may not ask, and is good all the same.
 * @throws ClientError when the key is not taken.
 */
export async function whose({ api, key }: BerthClient): Promise<string | null> {
  if (kindOfCredential(key ?? '') !== 'deploy') return (await api.account.get.query()).email;
  await api.platform.ping.query();
  return null;
}
