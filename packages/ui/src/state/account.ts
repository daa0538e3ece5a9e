import type { Account, Caps } from '@berth/contract';
import { createContext, use } from 'react';

/** The account that the window uses, as the shared pages need it. */
export interface AccountView {
  /** Identifies the account and its server, so that lists restart when it changes. */
  accountKey: string;
  /** False if the user must sign in before the window can show the account. */
  hasAccess: boolean;
  /** What the user signs in with. */
  credential: 'key' | 'session';
  /** True if the server no longer accepts the credential. */
  isRefused: boolean;
  /** True if the server answers for the account, so that changes are reported. */
  isConnected: boolean;
  /** The usage and the caps of the account; `null` while they are unknown. */
  limits: { usage: Caps; caps: Account['caps'] } | null;
}

export const AccountContext = createContext<AccountView | null>(null);

export function useAccount(): AccountView {
  return use(AccountContext)!;
}
