import { type BerthClient, ClientError, createClient } from '@berth/client';
import { CREDENTIAL } from '@berth/contract';
import { KnownAccount } from '../../shared/session.ts';

/** The longest wait for an answer, in milliseconds. */
const TIMEOUT_MS = 15_000;

/** A key and its account. */
export interface SignedIn {
  key: string;
  account: KnownAccount;
}

/**
 * Signs in with a pasted API key. Checks its format first, then asks the server for its account. Stores nothing.
 *
 * @param server The server of the key. The key is sent only there.
 * @throws ClientError when there is no valid key. Its message is for the user.
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
      'This is a deploy token, which can only deploy. Sign in with an API key, which begins with "ship-".',
    );
  if (!CREDENTIAL.test(key)) throw new ClientError('refused', 'An API key must be "ship-" followed by 32 hex digits.');
  try {
    return { key, account: await readAccount(createClient({ server: server.href, key, fetch }), signal) };
  } catch (error) {
    if (!(error instanceof ClientError) || error.status !== 401) throw error;
    const reason = 'It was revoked or belongs to another server.';
    throw new ClientError('refused', `${server.host} does not know this key. ${reason}`);
  }
}

/**
 * Reads the account that the key of a client belongs to.
 *
 * @throws ClientError: `signed-out` when the key is invalid; `network`, also when the server does not answer in time; `aborted`.
 */
export async function readAccount(client: BerthClient, given: AbortSignal): Promise<KnownAccount> {
  const { host } = client.server;
  const silence = AbortSignal.timeout(TIMEOUT_MS);
  const signal = AbortSignal.any([given, silence]);
  const answer = await client.api.account.get.query(undefined, { signal }).catch((error: unknown) => {
    if (silence.aborted && !given.aborted) throw new ClientError('network', `${host} is not responding.`);
    throw error;
  });
  const account = KnownAccount.safeParse(answer);
  if (account.success) return account.data;
  throw new ClientError('server', `${host} sent an answer that this app cannot read.`, { cause: account.error });
}
