import type { KnownAccount } from '../../shared/session.ts';

/** Whose a key is. */
export interface SignedIn {
  key: string;
  account: KnownAccount;
}

/** A way to get the key of an account. It keeps nothing. */
export interface SignInMethod<Input> {
  /**
   * @param server The server that the key is for: it is sent nowhere else.
   * @throws ClientError when there is no key to be had, in words for whoever wants to sign in.
   */
  signIn(server: URL, input: Input, signal: AbortSignal): Promise<SignedIn>;
}
