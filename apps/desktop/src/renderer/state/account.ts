import type { Server, Session } from '../../shared/session.ts';
import type { AccountView } from '@berth/ui/state/account';

/** Returns the current server, to which drops are published. */
export function currentServer(session: Session): Server {
  return session.servers.find(({ origin }) => origin === session.current) ?? session.servers[0]!;
}

/** Returns the account on the current server, as the shared pages need it. */
export function accountView(session: Session): AccountView {
  const server = currentServer(session);
  const { signIn } = server;
  return {
    accountKey: `${server.origin} ${emailOf(server) ?? ''}`,
    hasAccess: signIn.is !== 'signed-out' && signIn.is !== 'refused',
    credential: 'key',
    isRefused: signIn.is === 'refused',
    isConnected: session.online && signIn.is === 'signed-in',
    limits: signIn.is === 'signed-in' ? signIn.account : null,
  };
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
