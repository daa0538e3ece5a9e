import { SessionState } from '@berth/contract';
import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useState } from 'react';
import { consoleFetch } from '../console-fetch.ts';

/** How people can sign in on this server. */
export type SignInOffer = Pick<SessionState, 'methods' | 'signUp' | 'refusal'>;
/** The person who is signed in. */
export type SignedIn = NonNullable<SessionState['signedIn']>;

/** Who is signed in. */
export type Session =
  | { is: 'loading' }
  /** No one is signed in. */
  | { is: 'signed-out'; offer: SignInOffer }
  | { is: 'signed-in'; email: string; offer: SignInOffer; signedIn: SignedIn }
  /** The server did not answer. */
  | { is: 'failed' };

interface SessionContextValue {
  session: Session;
  /** Asks the server again, after signing in or out. */
  reload: () => Promise<void>;
}

const SessionContext = createContext<SessionContextValue | null>(null);

/** Asks the server who is signed in, and provides the answer to {@link useSession}. */
export function SessionProvider({ children }: { children: ReactNode }) {
  const [session, setSession] = useState<Session>({ is: 'loading' });
  const reload = useCallback(async () => setSession(await readSession()), []);
  useEffect(() => void reload(), [reload]);
  const state = useMemo(() => ({ session, reload }), [session, reload]);
  return <SessionContext value={state}>{children}</SessionContext>;
}

export function useSession(): SessionContextValue {
  return useContext(SessionContext)!;
}

async function readSession(): Promise<Session> {
  try {
    const response = await consoleFetch('/session');
    if (!response.ok) return { is: 'failed' };
    const { signedIn, ...offer } = SessionState.parse(await response.json());
    if (signedIn === null) return { is: 'signed-out', offer };
    return { is: 'signed-in', email: signedIn.person.email, offer, signedIn };
  } catch {
    return { is: 'failed' };
  }
}
