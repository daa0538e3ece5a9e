import { type BerthClient, ClientError } from '@berth/client';
import { KnownAccount } from '../../shared/session.ts';

/** The longest wait for an answer, in milliseconds. */
const TIMEOUT_MS = 15_000;

/**
 * Reads the account that the key of a client belongs to.
 *
 * @throws ClientError: `signed-out` when the key is invalid; `network`, also when the server does not answer in time; `aborted`.
 */
export async function readAccount(client: BerthClient, given: AbortSignal): Promise<KnownAccount> {
  const silence = AbortSignal.timeout(TIMEOUT_MS);
  const signal = AbortSignal.any([given, silence]);
  const answer = await client.api.account.get.query(undefined, { signal }).catch((error: unknown) => {
    if (silence.aborted && !given.aborted) throw new ClientError('network', `${client.server.host} is not responding.`);
    throw error;
  });
  const account = KnownAccount.safeParse(answer);
  if (account.success) return account.data;
  throw new ClientError('server', `${client.server.host} sent an answer that this app cannot read.`, {
    cause: account.error,
  });
}
