import type { Server, Session } from '../../shared/session.ts';
import { useApp } from './store.ts';

/** The server that drops go to. */
export function currentServer(session: Session): Server {
  return session.servers.find(({ origin }) => origin === session.current) ?? session.servers[0]!;
}

/** The current server, and whether an account can be asked on it. */
export function useAccount(): { server: Server; hasKey: boolean } {
  const server = currentServer(useApp('session'));
  return { server, hasKey: server.signIn.is !== 'signed-out' && server.signIn.is !== 'refused' };
}

/** Names the account of the current server, for lists that start anew with another; `null` without one. */
export function useWhose(): string | null {
  const { hasKey, server } = useAccount();
  return hasKey ? `${server.origin} ${emailOf(server) ?? ''}` : null;
}

/** Who is signed in, as far as it is known. */
export function emailOf({ signIn }: Server): string | null {
  if (signIn.is === 'signed-in') return signIn.account.email;
  return signIn.is === 'unreachable' || signIn.is === 'refused' ? signIn.email : null;
}

/** The host of an address, with its port. */
export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}
