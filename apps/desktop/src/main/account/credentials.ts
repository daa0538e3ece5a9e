import { type BerthClient, ClientError } from '@berth/client';
import type { Accounts } from './accounts.ts';

/**
 * The client for a server at which somebody is signed in, as far as that is known: also while the server cannot be asked.
 *
 * @returns `null` when nobody is, or the server does not take the key, or is not known.
 */
export function findClient(accounts: Pick<Accounts, 'session' | 'client'>, origin: string): BerthClient | null {
  const server = accounts.session().servers.find((server) => server.origin === origin);
  if (!server || server.signIn.is === 'signed-out' || server.signIn.is === 'refused') return null;
  return accounts.client(origin);
}

/**
 * Asks a server as whoever is signed in there. A 401 has the session look at the key again.
 *
 * @param origin Default: the current server.
 * @throws ClientError `signed-out` when nobody is signed in; whatever the work throws.
 */
export async function asking<T>(
  accounts: Pick<Accounts, 'session' | 'client' | 'refused'>,
  work: (client: BerthClient) => Promise<T>,
  origin: string = accounts.session().current,
): Promise<T> {
  const client = findClient(accounts, origin);
  if (!client) throw new ClientError('signed-out', `Nobody is signed in to ${origin}.`);
  try {
    return await work(client);
  } catch (error) {
    if (error instanceof ClientError && error.status === 401) accounts.refused(origin);
    throw error;
  }
}
