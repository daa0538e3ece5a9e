import type { Server, Session } from '../../shared/session.ts';
import { useAppState } from './store.ts';

/** The current server: drops go to it. */
export function currentServer(session: Session): Server {
  return session.servers.find(({ origin }) => origin === session.current) ?? session.servers[0]!;
}

/** The current server, and whether there is a key for it that it has not refused. */
export function useAccount(): { server: Server; hasKey: boolean } {
  const server = currentServer(useAppState('session'));
  return { server, hasKey: server.signIn.is !== 'signed-out' && server.signIn.is !== 'refused' };
}

/** Identifies the account on the current server, so that lists restart when it changes; `null` without an account. */
export function useAccountKey(): string | null {
  const { hasKey, server } = useAccount();
  return hasKey ? `${server.origin} ${emailOf(server) ?? ''}` : null;
}

/** The e-mail address of the signed-in account; `null` if unknown. */
export function emailOf({ signIn }: Server): string | null {
  if (signIn.is === 'signed-in') return signIn.account.email;
  return signIn.is === 'unreachable' || signIn.is === 'refused' ? signIn.email : null;
}

/** The host and port of a URL; the text itself if it is not a URL. */
export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}
