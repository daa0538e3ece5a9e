import { isDeepStrictEqual } from 'node:util';
import { backoffMs, type BerthClient, ClientError, createClient, retryAfterMs } from '@berth/client';
import type { SignIn } from '../../shared/session.ts';
import { readAccount, type SignedIn } from './sign-in.ts';

/** The pauses between retries while a server cannot be reached, in milliseconds. Each pause is twice as long as the previous. */
export interface Pauses {
  firstMs: number;
  longestMs: number;
}

interface KnownServerOptions {
  origin: string;
  /** The key; `null` without a key; `locked` if the key store must be unlocked first. */
  key: string | null | 'locked';
  /** The last known e-mail address of the key's account. */
  email: string | null;
  /** The last known id of the key's account. */
  account: string | null;
  fetch: typeof globalThis.fetch;
  pauses: Pauses;
  /** Called when {@link KnownServer.signIn} changes. */
  onChange(): void;
}

/** Says why a key cannot be read yet. */
const LOCKED = 'The key store of this computer is locked. Unlock it, or sign in again.';

/** The error of work that needs a key which cannot be read yet. */
export function lockedError(): ClientError {
  return new ClientError('unavailable', LOCKED);
}

function signInOf(key: string | null): SignIn {
  return { is: key === null ? 'signed-out' : 'checking' };
}

/** A server and the key that is used for the server. Sends no request until {@link KnownServer.check} is called. */
export class KnownServer {
  readonly origin: string;
  readonly #options: KnownServerOptions;
  #email: string | null;
  #client: BerthClient;
  #signIn: SignIn;
  #isLocked: boolean;
  #running: { result: Promise<void>; controller: AbortController } | null = null;
  #timer: NodeJS.Timeout | undefined;
  #failures = 0;

  constructor(options: KnownServerOptions) {
    const { origin, email, account } = options;
    const key = options.key === 'locked' ? null : options.key;
    this.origin = origin;
    this.#options = options;
    this.#email = email;
    this.#client = this.#createClient(key, account);
    this.#isLocked = options.key === 'locked';
    this.#signIn = this.#isLocked ? { is: 'unreachable', email, message: LOCKED } : signInOf(key);
  }

  /** True until the key of the server could be read. */
  isLocked(): boolean {
    return this.#isLocked;
  }

  /** Uses the key that could be read at last. */
  unlock(key: string | null): void {
    const { account } = this.#client;
    this.#replaceKey(key, account);
    this.#setSignIn(signInOf(key), true);
    this.checkLater();
  }

  /** Whether the user is signed in, as the page shows it. */
  signIn(): SignIn {
    return this.#signIn;
  }

  /** The last known e-mail address of the key's account; `null` when the user is signed out. */
  email(): string | null {
    return this.#email;
  }

  /** The client of the server. It stays the same object until the key or the id of its account changes. */
  client(): BerthClient {
    return this.#client;
  }

  use({ key, account }: SignedIn): void {
    this.#replaceKey(key, account.account);
    this.#email = account.email;
    this.#setSignIn({ is: 'signed-in', account }, true);
  }

  forget(): void {
    this.#replaceKey(null, null);
    this.#email = null;
    this.#setSignIn({ is: 'signed-out' }, true);
  }

  /**
   * Reads the account from the server and updates {@link signIn}. Retries with backoff while the server cannot be reached. Does
   * nothing without a key.
   *
   * @throws ClientError when the server cannot be reached or rejects the key.
   */
  check(): Promise<void> {
    if (this.#client.key === null) return Promise.resolve();
    if (this.#running) return this.#running.result;
    clearTimeout(this.#timer);
    const controller = new AbortController();
    const result = this.#readAccount(controller.signal).finally(() => {
      if (this.#running?.controller === controller) this.#running = null;
    });
    this.#running = { result, controller };
    return result;
  }

  checkLater(): void {
    this.check().catch(() => {});
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    this.#running?.controller.abort();
    await this.#running?.result.catch(() => {});
  }

  #createClient(key: string | null, account: string | null): BerthClient {
    return createClient({ server: this.origin, key, account, fetch: this.#options.fetch });
  }

  #setSignIn(next: SignIn, isNewKey = false): void {
    if (!isNewKey && isDeepStrictEqual(next, this.#signIn)) return;
    this.#signIn = next;
    this.#options.onChange();
  }

  /** Replaces the key. Aborts a request that still uses the old key. */
  #replaceKey(key: string | null, account: string | null): void {
    this.#running?.controller.abort();
    this.#running = null;
    clearTimeout(this.#timer);
    this.#failures = 0;
    this.#isLocked = false;
    this.#client = this.#createClient(key, account);
  }

  async #readAccount(signal: AbortSignal): Promise<void> {
    try {
      const account = await readAccount(this.#client, signal);
      if (signal.aborted) return;
      this.#email = account.email;
      if (this.#client.account !== account.account)
        this.#client = this.#createClient(this.#client.key, account.account);
      this.#failures = 0;
      this.#setSignIn({ is: 'signed-in', account });
    } catch (error) {
      if (signal.aborted) return;
      const failure = error instanceof ClientError ? error : new ClientError('server', String(error), { cause: error });
      if (failure.kind === 'signed-out') this.#setSignIn({ is: 'refused', email: this.#email });
      else {
        this.#setSignIn({ is: 'unreachable', email: this.#email, message: failure.message });
        this.#retryLater(failure);
      }
      throw failure;
    }
  }

  #retryLater(failure: ClientError): void {
    const { firstMs, longestMs } = this.#options.pauses;
    const pauseMs = Math.max(backoffMs(this.#failures, firstMs, longestMs), retryAfterMs(failure));
    this.#failures += 1;
    this.#timer = setTimeout(() => this.checkLater(), pauseMs);
  }
}
