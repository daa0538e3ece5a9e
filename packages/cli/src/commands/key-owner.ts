import type { BerthClient } from '@berth/client';
import { kindOfCredential } from '@berth/contract';

/**
 * Asks the server to which account the key of a client belongs.
 *
 * @returns The e-mail address of the account; `null` for a deploy token, which is valid but not allowed to ask.
 * @throws ClientError if the key is not accepted.
 */
export async function findKeyOwner({ api, key }: BerthClient): Promise<string | null> {
  if (kindOfCredential(key ?? '') !== 'deploy') return (await api.account.get.query()).email;
  await api.platform.ping.query();
  return null;
}
