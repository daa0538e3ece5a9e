import { type BerthClient, ClientError, createClient } from '@berth/client';
import { CREDENTIAL } from '@berth/contract';
import { KnownAccount } from '../../shared/session.ts';

/** The longest wait for a response, in milliseconds. */
const TIMEOUT_MS = 15_000;

export interface SignedIn {
  key: string;
  account: KnownAccount;
}

/**
 * Checks the format of a pasted API key, then reads the key's account from the server. Stores nothing.
 *
 * @param server The server of the key. The key is sent only to this server.
 * @throws ClientError when the key is invalid. The message is for the user.
 */
export async function signInWithKey(
  server: URL,
  pasted: string,
  fetch: typeof globalThis.fetch,
  signal: AbortSignal,
): Promise<SignedIn> {
  const key = pasted.trim();
  if (key.startsWith('deploy-'))
    throw new ClientError(
      'refused',
      'A deploy token can only deploy. Sign in with an API key, which begins with "ship-".',
    );
  if (!CREDENTIAL.test(key)) throw new ClientError('refused', 'An API key must be "ship-" followed by 32 hex digits.');
  try {
    return { key, account: await readAccount(createClient({ server: server.href, key, fetch }), signal) };
  } catch (error) {
    if (!(error instanceof ClientError) || error.status !== 401) throw error;
    const message = `${server.host} does not know this key. The key was revoked or belongs to another server.`;
    throw new ClientError('refused', message);
  }
}

/**
 * Reads the account that the key of a client belongs to.
 *
 * @throws ClientError: `signed-out` when the key is invalid; `network` when the server does not respond in time; `aborted`.
 */
export async function readAccount(client: BerthClient, abort: AbortSignal): Promise<KnownAccount> {
  const { host } = client.server;
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  const signal = AbortSignal.any([abort, timeout]);
  const response = await client.api.account.get.query(undefined, { signal }).catch((error: unknown) => {
    if (timeout.aborted && !abort.aborted) throw new ClientError('network', `${host} is not responding.`);
    throw error;
  });
  const account = KnownAccount.safeParse(response);
  if (account.success) return account.data;
  throw new ClientError('server', `${host} sent a response that this app cannot read.`, { cause: account.error });
}
