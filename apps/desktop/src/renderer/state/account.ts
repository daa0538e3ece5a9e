import type { Server, Session } from '../../shared/session.ts';
import { useAppState } from './store.ts';

/** Returns the current server, to which drops are published. */
export function currentServer(session: Session): Server {
  return session.servers.find(({ origin }) => origin === session.current) ?? session.servers[0]!;
}

/**
 * Returns the current server, whether the app has a key that the server has not refused, and a key that identifies the account, so
 * that lists restart when it changes.
 */
export function useAccount() {
  const server = currentServer(useAppState('session'));
  const hasKey = server.signIn.is !== 'signed-out' && server.signIn.is !== 'refused';
  return { server, hasKey, accountKey: `${server.origin} ${emailOf(server) ?? ''}` };
}

/** Returns the e-mail address of the signed-in account; `null` if it is unknown. */
export function emailOf({ signIn }: Server): string | null {
  if (signIn.is === 'signed-in') return signIn.account.email;
  return signIn.is === 'unreachable' || signIn.is === 'refused' ? signIn.email : null;
}

const SIGN_IN_TEXTS = {
  'signed-out': 'Not signed in',
  checking: 'Signing in…',
  unreachable: 'Server unreachable',
  refused: 'Key no longer works',
};

export function signInText({ signIn }: Server): string {
  return signIn.is === 'signed-in' ? signIn.account.email : SIGN_IN_TEXTS[signIn.is];
}

/** Returns the host and port of a URL, or the text itself if it is not a URL. */
export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}
