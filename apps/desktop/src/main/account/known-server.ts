import { isDeepStrictEqual } from 'node:util';
import { type BerthClient, ClientError, createClient } from '@berth/client';
import type { SignIn } from '../../shared/session.ts';
import { readAccount } from './read-account.ts';
import type { SignedIn } from './sign-in-method.ts';

/** Caps Retry-After at one day, in milliseconds: `setTimeout` overflows after 24.8 days. */
const MAX_RETRY_AFTER_MS = 86_400_000;

/** The pauses between retries while a server cannot be reached, in milliseconds. Each is twice as long as the one before. */
export interface Pauses {
  firstMs: number;
  longestMs: number;
}

export interface KnownServerOptions {
  origin: string;
  key: string | null;
  /** The e-mail address of the key's account when the server last answered. */
  email: string | null;
  /** The id of the key's account when the server last answered. */
  account: string | null;
  fetch: typeof globalThis.fetch;
  pauses: Pauses;
  /** Called when {@link KnownServer.signIn} changes. */
  onChange(): void;
}

/** A server and the key that is used for it. */
export interface KnownServer {
  readonly origin: string;
  signIn(): SignIn;
  /** The e-mail address of the key's account, as last known; `null` when signed out. */
  email(): string | null;
  /** Stays the same object until the key or the id of its account changes. */
  client(): BerthClient;
  use(signedIn: SignedIn): void;
  forget(): void;
  /**
   * Reads the account from the server and updates {@link signIn}. Retries with backoff while the server cannot be reached. Does
   * nothing without a key.
   *
   * @throws ClientError when the server cannot be reached or rejects the key.
   */
  check(): Promise<void>;
  close(): Promise<void>;
}

/** Creates a known server without sending a request. Call {@link KnownServer.check} to verify the key. */
export function createKnownServer({ origin, fetch, pauses, onChange, ...known }: KnownServerOptions): KnownServer {
  let { email } = known;
  let client = createClient({ server: origin, key: known.key, account: known.account, fetch });
  let signIn: SignIn = { is: known.key === null ? 'signed-out' : 'checking' };
  let asking: { answer: Promise<void>; gone: AbortController } | null = null;
  let timer: NodeJS.Timeout | undefined;
  let failures = 0;

  const setSignIn = (next: SignIn, isOfAnotherKey = false): void => {
    if (!isOfAnotherKey && isDeepStrictEqual(next, signIn)) return;
    signIn = next;
    onChange();
  };

  /** Replaces the key. Aborts a request that still uses the old one. */
  const change = (key: string | null, account: string | null): void => {
    asking?.gone.abort();
    asking = null;
    clearTimeout(timer);
    failures = 0;
    client = createClient({ server: origin, key, account, fetch });
  };

  const ask = async (signal: AbortSignal): Promise<void> => {
    try {
      const account = await readAccount(client, signal);
      if (signal.aborted) return;
      email = account.email;
      if (client.account !== account.account)
        client = createClient({ server: origin, key: client.key, account: account.account, fetch });
      failures = 0;
      setSignIn({ is: 'signed-in', account });
    } catch (error) {
      if (signal.aborted) return;
      const failure = error instanceof ClientError ? error : new ClientError('server', String(error), { cause: error });
      if (failure.kind === 'signed-out') setSignIn({ is: 'refused', email });
      else {
        setSignIn({ is: 'unreachable', email, message: failure.message });
        askAgain(failure);
      }
      throw failure;
    }
  };

  const askAgain = ({ retryAfterSeconds }: ClientError): void => {
    const growing = Math.min(pauses.firstMs * 2 ** failures, pauses.longestMs);
    failures += 1;
    const askedMs = Math.min((retryAfterSeconds ?? 0) * 1_000, MAX_RETRY_AFTER_MS);
    timer = setTimeout(() => server.check().catch(() => {}), Math.max(growing, askedMs));
  };

  const server: KnownServer = {
    origin,
    signIn: () => signIn,
    email: () => email,
    client: () => client,
    use({ key, account }) {
      change(key, account.account);
      ({ email } = account);
      setSignIn({ is: 'signed-in', account }, true);
    },
    forget() {
      change(null, null);
      email = null;
      setSignIn({ is: 'signed-out' }, true);
    },
    check() {
      if (client.key === null) return Promise.resolve();
      if (asking) return asking.answer;
      clearTimeout(timer);
      const gone = new AbortController();
      const answer = ask(gone.signal).finally(() => {
        if (asking?.gone === gone) asking = null;
      });
      asking = { answer, gone };
      return answer;
    },
    async close() {
      clearTimeout(timer);
      asking?.gone.abort();
      await asking?.answer.catch(() => {});
    },
  };
  return server;
}
