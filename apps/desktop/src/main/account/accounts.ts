import type { BerthClient } from '@berth/client';
import type { Session } from '../../shared/session.ts';
import type { Handlers } from '../backend.ts';

/** Which servers are known, and whose key is used at each. */
export interface Accounts {
  session(): Session;
  /** Calls as whoever is signed in there; as nobody when nobody is. @param origin Default: the current server. */
  client(origin?: string): BerthClient;
  /** Hears of every change of the session. */
  onChange(listener: () => void): void;
  /** A server said 401 to the key: it is asked again, so that the session tells the truth. */
  refused(origin: string): void;
  setOnline(online: boolean): void;
  readonly handlers: Pick<
    Handlers,
    'addServer' | 'chooseServer' | 'removeServer' | 'signIn' | 'signOut' | 'refreshAccount'
  >;
  close(): Promise<void>;
}
