import type { KnownAccount } from '../../shared/session.ts';

/** A key and its account. */
export interface SignedIn {
  key: string;
  account: KnownAccount;
}

/** A way to get the key of an account. It stores nothing. */
export interface SignInMethod<Input> {
  /**
   * @param server The server of the key. The key is sent only there.
   * @throws ClientError when there is no valid key. Its message is for the user.
   */
  signIn(server: URL, input: Input, signal: AbortSignal): Promise<SignedIn>;
}
