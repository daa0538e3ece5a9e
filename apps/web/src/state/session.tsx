import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useState } from 'react';
import { consoleFetch } from '../console-fetch.ts';

/** Who is signed in. */
export type Session =
  | { is: 'loading' }
  /** No one is signed in. */
  | { is: 'signed-out' }
  | { is: 'signed-in'; email: string }
  /** The server did not answer. */
  | { is: 'failed' };

interface SessionState {
  session: Session;
  /** Asks the server again, after signing in or out. */
  reload: () => Promise<void>;
}

const SessionContext = createContext<SessionState | null>(null);

/** Asks the server who is signed in, and provides the answer to {@link useSession}. */
export function SessionProvider({ children }: { children: ReactNode }) {
  const [session, setSession] = useState<Session>({ is: 'loading' });
  const reload = useCallback(async () => setSession(await readSession()), []);
  useEffect(() => void reload(), [reload]);
  const state = useMemo(() => ({ session, reload }), [session, reload]);
  return <SessionContext value={state}>{children}</SessionContext>;
}

export function useSession(): SessionState {
  return useContext(SessionContext)!;
}

async function readSession(): Promise<Session> {
  try {
    const response = await consoleFetch('/session');
    const body = await response.text();
    if (response.status === 404 || response.status === 401) return { is: 'signed-out' };
    if (!response.ok) return { is: 'failed' };
    const { email } = JSON.parse(body) as { email?: string | null };
    return email ? { is: 'signed-in', email } : { is: 'signed-out' };
  } catch {
    return { is: 'failed' };
  }
}
