import { isDeepStrictEqual } from 'node:util';
import { type BerthClient, ClientError, createClient } from '@berth/client';
import type { SignIn } from '../../shared/session.ts';
import { askAccount } from './ask-account.ts';
import type { SignedIn } from './sign-in-method.ts';

/** No server is waited for longer than a day, whatever it asks for: a timer takes no more than 24 of them. */
const LONGEST_ASKED_MS = 86_400_000;

/** The pauses before a server that could not be asked is asked again, in milliseconds; each is twice as long as the one before. */
export interface Pauses {
  firstMs: number;
  longestMs: number;
}

export interface KnownServerOptions {
  origin: string;
  key: string | null;
  /** Whose the key was, when the server could be asked. */
  email: string | null;
  /** The id of its account, likewise. */
  account: string | null;
  fetch: typeof globalThis.fetch;
  pauses: Pauses;
  /** Hears of every change of what it says. */
  onChange(): void;
}

/** A server, and whose key is used there. */
export interface KnownServer {
  readonly origin: string;
  signIn(): SignIn;
  /** Whose the key is, or was; `null` when nobody is signed in. */
  email(): string | null;
  /** The same one as long as the key is the same, and nothing else is learned of whose it is. */
  client(): BerthClient;
  use(signedIn: SignedIn): void;
  forget(): void;
  /**
   * Asks the server for the account; what it says is the state from then on. While it cannot be asked, it is asked again and
   * again. Without a key nothing is asked.
   *
   * @throws ClientError when the server cannot be asked, or does not take the key.
   */
  check(): Promise<void>;
  close(): Promise<void>;
}

/** A server that nobody was asked about yet: {@link KnownServer.check} does. */
export function createKnownServer({ origin, fetch, pauses, onChange, ...known }: KnownServerOptions): KnownServer {
  let { email } = known;
  let client = createClient({ server: origin, key: known.key, account: known.account, fetch });
  let signIn: SignIn = { is: known.key === null ? 'signed-out' : 'checking' };
  let asking: { answer: Promise<void>; gone: AbortController } | null = null;
  let timer: NodeJS.Timeout | undefined;
  let failures = 0;

  const become = (next: SignIn, isOfAnotherKey = false): void => {
    if (!isOfAnotherKey && isDeepStrictEqual(next, signIn)) return;
    signIn = next;
    onChange();
  };

  /** What was asked with the key before is of no interest any more. */
  const change = (key: string | null, account: string | null): void => {
    asking?.gone.abort();
    asking = null;
    clearTimeout(timer);
    failures = 0;
    client = createClient({ server: origin, key, account, fetch });
  };

  const ask = async (signal: AbortSignal): Promise<void> => {
    try {
      const account = await askAccount(client, signal);
      if (signal.aborted) return;
      email = account.email;
      if (client.account !== account.account)
        client = createClient({ server: origin, key: client.key, account: account.account, fetch });
      failures = 0;
      become({ is: 'signed-in', account });
    } catch (error) {
      if (signal.aborted) return;
      const failure = error instanceof ClientError ? error : new ClientError('server', String(error), { cause: error });
      if (failure.kind === 'signed-out') become({ is: 'refused', email });
      else {
        become({ is: 'unreachable', email, message: failure.message });
        askAgain(failure);
      }
      throw failure;
    }
  };

  const askAgain = ({ retryAfterSeconds }: ClientError): void => {
    const growing = Math.min(pauses.firstMs * 2 ** failures, pauses.longestMs);
    failures += 1;
    const askedMs = Math.min((retryAfterSeconds ?? 0) * 1_000, LONGEST_ASKED_MS);
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
      become({ is: 'signed-in', account }, true);
    },
    forget() {
      change(null, null);
      email = null;
      become({ is: 'signed-out' }, true);
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
