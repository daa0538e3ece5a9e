import type { Server, Session } from '../../shared/session.ts';
import { useAppState } from './store.ts';

/** The current server: drops go to it. */
export function currentServer(session: Session): Server {
  return session.servers.find(({ origin }) => origin === session.current) ?? session.servers[0]!;
}

/**
 * The current server, and whether there is a key for it that it has not refused. `accountKey` identifies the account on this server,
 * so that lists restart when it changes.
 */
export function useAccount() {
  const server = currentServer(useAppState('session'));
  const hasKey = server.signIn.is !== 'signed-out' && server.signIn.is !== 'refused';
  return { server, hasKey, accountKey: `${server.origin} ${emailOf(server) ?? ''}` };
}

/** The e-mail address of the signed-in account; `null` if unknown. */
export function emailOf({ signIn }: Server): string | null {
  if (signIn.is === 'signed-in') return signIn.account.email;
  return signIn.is === 'unreachable' || signIn.is === 'refused' ? signIn.email : null;
}

/** A short text for the sign-in state of a server. */
export function signInText({ signIn }: Server): string {
  switch (signIn.is) {
    case 'signed-out':
      return 'Not signed in';
    case 'checking':
      return 'Signing in…';
    case 'signed-in':
      return signIn.account.email;
    case 'unreachable':
      return 'Server unreachable';
    case 'refused':
      return 'Key no longer works';
  }
}

/** The host and port of a URL; the text itself if it is not a URL. */
export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}
