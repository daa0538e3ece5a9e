import { type BerthClient, ClientError } from '@berth/client';
import type { Accounts } from './accounts.ts';

/**
 * Finds the client of a server that the user is signed in to. Also works while the server cannot be reached.
 *
 * @returns `null` if the user is signed out, the server rejected the key, or the server is unknown.
 */
export function findClient(accounts: Pick<Accounts, 'session' | 'client'>, origin: string): BerthClient | null {
  const server = accounts.session().servers.find((server) => server.origin === origin);
  if (!server || server.signIn.is === 'signed-out' || server.signIn.is === 'refused') return null;
  return accounts.client(origin);
}

/**
 * Runs `work` with the client of the signed-in account. A 401 makes the session check the key again.
 *
 * @param origin Default: the current server.
 * @throws ClientError `signed-out` when the user is not signed in. Errors of `work` are passed on.
 */
export async function withSignedInClient<T>(
  accounts: Pick<Accounts, 'session' | 'client' | 'refused'>,
  work: (client: BerthClient) => Promise<T>,
  origin: string = accounts.session().current,
): Promise<T> {
  const client = findClient(accounts, origin);
  if (!client) throw new ClientError('signed-out', `You are not signed in to ${origin}.`);
  try {
    return await work(client);
  } catch (error) {
    if (error instanceof ClientError && error.status === 401) accounts.refused(origin);
    throw error;
  }
}
