import type { BerthClient } from '@berth/client';
import type { Session } from '../../shared/session.ts';
import type { Handlers } from '../backend.ts';

/** The known servers and the key that is used for each. */
export interface Accounts {
  session(): Session;
  /** A client with the key of the signed-in account, or without a key. @param origin Default: the current server. */
  client(origin?: string): BerthClient;
  /** Subscribes to changes of the session. */
  onChange(listener: () => void): void;
  /** Reports that a server answered 401. The key is checked again, so that the session becomes correct. */
  refused(origin: string): void;
  setOnline(online: boolean): void;
  readonly handlers: Pick<
    Handlers,
    'addServer' | 'chooseServer' | 'removeServer' | 'signIn' | 'signOut' | 'refreshAccount'
  >;
  close(): Promise<void>;
}
