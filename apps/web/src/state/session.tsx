import type { SessionState } from '@berth/contract';
import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useState } from 'react';
import { consoleFetch } from '../console-fetch.ts';
import { announceSessionChange, onSessionChange } from './session-signals.ts';

/** How long to wait before a server that did not answer is asked again, in milliseconds. */
const RETRY_MS = 15_000;

/** How people can sign in on this server. */
export type SignInOffer = Pick<SessionState, 'methods' | 'signUp' | 'refusal'>;
/** The person who is signed in. */
export type SignedIn = NonNullable<SessionState['signedIn']>;

/** Whether a person can open an account here without an invitation. */
export function opensAccounts({ signUp, methods }: SignInOffer): boolean {
  return signUp && (methods.code || methods.oidc !== null);
}

/** Who is signed in. */
export type Session =
  | { is: 'loading' }
  /** No one is signed in. `ended`: whose session ended while the page was open, without signing out here; `null` for no one. */
  | { is: 'signed-out'; offer: SignInOffer; ended: SignedIn | null }
  | { is: 'signed-in'; email: string; offer: SignInOffer; signedIn: SignedIn }
  /** Someone is signed in, but their account is suspended or terminated. */
  | { is: 'inactive'; email: string; offer: SignInOffer; signedIn: SignedIn }
  /** The server did not answer. */
  | { is: 'failed' };

interface SessionContextValue {
  session: Session;
  /** Asks the server again, after this page has changed the session, and returns its answer. Other tabs ask too. */
  reload: () => Promise<Session>;
}

const SessionContext = createContext<SessionContextValue | null>(null);

/** Asks the server who is signed in, and provides the answer to {@link useSession}. */
export function SessionProvider({ children }: { children: ReactNode }) {
  const [session, setSession] = useState<Session>({ is: 'loading' });
  const reload = useCallback(async () => {
    const read = await readSession();
    setSession(read);
    announceSessionChange();
    return read;
  }, []);
  useEffect(() => {
    const read = async () => {
      const next = await readSession();
      setSession((previous) => withEnd(next, previous));
    };
    void read();
    return onSessionChange(() => void read());
  }, []);
  useRetry(session.is === 'failed', reload);
  const state = useMemo(() => ({ session, reload }), [session, reload]);
  return <SessionContext value={state}>{children}</SessionContext>;
}

/** Repeats a request that has failed: when the browser reports a connection, and from time to time. */
function useRetry(hasFailed: boolean, retry: () => Promise<unknown>): void {
  useEffect(() => {
    if (!hasFailed) return;
    const timer = setInterval(() => void retry(), RETRY_MS);
    const onOnline = () => void retry();
    addEventListener('online', onOnline);
    return () => {
      clearInterval(timer);
      removeEventListener('online', onOnline);
    };
  }, [hasFailed, retry]);
}

export function useSession(): SessionContextValue {
  return useContext(SessionContext)!;
}

/** Remembers whose session has ended. A server that does not answer for a moment signs no one out. */
function withEnd(next: Session, previous: Session): Session {
  if (next.is === 'failed' && previous.is !== 'loading') return previous;
  if (next.is !== 'signed-out') return next;
  if (previous.is === 'signed-in') return { ...next, ended: previous.signedIn };
  return previous.is === 'signed-out' ? { ...next, ended: previous.ended } : next;
}

async function readSession(): Promise<Session> {
  try {
    const response = await consoleFetch('/session');
    if (!response.ok) return { is: 'failed' };
    const { signedIn, ...offer } = (await response.json()) as SessionState;
    if (signedIn === null) return { is: 'signed-out', offer, ended: null };
    const is = signedIn.accountState === 'active' ? 'signed-in' : 'inactive';
    return { is, email: signedIn.person.email, offer, signedIn };
  } catch {
    return { is: 'failed' };
  }
}
