import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { backoffMs, type BerthClient, ClientError, createClient } from '@berth/client';
import pLimit from 'p-limit';
import { z } from 'zod';
import type { Session } from '../../shared/session.ts';
import type { Emit, Handlers } from '../backend.ts';
import type { Native } from '../native.ts';
import { orRefuse } from '../problem.ts';
import { type JsonFile, openJsonFile, type StoreOptions } from '../storage/json-file.ts';
import { readServerAddress } from './address.ts';
import { beginBrowserSignIn, type BrowserSignIn } from './browser-sign-in.ts';
import { findServer } from './find-server.ts';
import { KnownServer, lockedError, type Pauses } from './known-server.ts';
import { signInWithKey } from './sign-in.ts';

const MAX_SERVERS = 50;
/** How long the check of a new server may take, in milliseconds. */
const FIND_LIMIT_MS = 15_000;
/** How long to wait for the key store before the app starts without it, in milliseconds. It may ask the user for a password. */
const KEY_LIMIT_MS = 3_000;
const PAUSES: Pauses = { firstMs: 2_000, longestMs: 2 * 60_000 };

const StoredServer = z.object({ origin: z.url(), email: z.string().nullable(), account: z.string().nullable() });
/** The schema of `servers.json`. Keys are in the keychain instead. */
const StoredServers = z.object({ current: z.url(), servers: z.array(StoredServer).min(1).max(MAX_SERVERS) });
type StoredServers = z.infer<typeof StoredServers>;

interface AccountsOptions extends StoreOptions {
  native: Pick<Native, 'keychain' | 'openExternal'>;
  /** The server that is known when the app starts for the first time. */
  server: string;
  emit: Emit;
  /** Sends the requests. Default: the global `fetch`. */
  fetch?: typeof globalThis.fetch | undefined;
  /** The pauses before retries. Default: from 2 seconds to 2 minutes. */
  pauses?: Pauses | undefined;
}

/**
 * Opens the known servers and checks the key of each server, without waiting for the results. A key belongs to one server and is
 * never sent to another server.
 *
 * @throws Error when `servers.json` cannot be read. Source: desktop §1, §6; security T40.
 */
export async function openAccounts(options: AccountsOptions): Promise<Accounts> {
  const origin = readServerAddress(options.server);
  const file = await openJsonFile<StoredServers>({
    path: join(options.dataDir, 'servers.json'),
    schema: StoredServers,
    initialValue: { current: origin, servers: [{ origin, email: null, account: null }] },
    onDamaged: options.onDamaged,
  });
  const accounts = new Accounts(options, file);
  await accounts.load();
  return accounts;
}

/** The known servers and the key that is used for each server. There are none before {@link Accounts.load}. */
export class Accounts {
  readonly #options: AccountsOptions;
  readonly #file: JsonFile<StoredServers>;
  readonly #fetch: typeof globalThis.fetch;
  readonly #servers = new Map<string, KnownServer>();
  readonly #listeners: (() => void)[] = [];
  readonly #closing = new AbortController();
  /** Runs changes of servers and keys one after the other, so that each change sees the result of the previous change. */
  readonly #serially = pLimit(1);
  /** The sign-in in the browser that has begun, and its server. */
  #browserSignIn: { server: KnownServer; signIn: BrowserSignIn } | null = null;
  #current: string;
  #isOnline = true;
  #keysKept: Session['keysKept'] = 'system';
  /** True while locked keys are read again. */
  #isUnlocking = false;
  #endPause = new AbortController();

  constructor(options: AccountsOptions, file: JsonFile<StoredServers>) {
    this.#options = options;
    this.#file = file;
    this.#fetch = options.fetch ?? globalThis.fetch;
    this.#current = file.value().current;
  }

  readonly handlers = {
    checkServer: async ({ address }) => ({ origin: await this.#findServer(readServerAddress(address)) }),
    addServer: async ({ address }) => {
      const typedAddress = readServerAddress(address);
      const origin = this.#servers.has(typedAddress) ? typedAddress : await this.#findServer(typedAddress);
      await this.#serially(async () => {
        if (!this.#servers.has(origin)) {
          if (this.#servers.size >= MAX_SERVERS)
            throw new ClientError('refused', `You can have at most ${MAX_SERVERS} servers. Remove one first.`);
          this.#add({ origin, email: null, account: null }, await this.#readKey(origin));
          this.#find(origin).checkLater();
        }
        this.#current = origin;
        this.#changed();
      });
      await this.#saved();
      return { origin };
    },
    chooseServer: async ({ origin }) => {
      this.#current = this.#find(origin).origin;
      this.#changed();
      await this.#saved();
    },
    removeServer: async ({ origin }) => {
      await this.#serially(async () => {
        const server = this.#find(origin);
        if (this.#servers.size === 1)
          throw new ClientError('refused', 'This is your only server. Add another server first.');
        await this.#removeKey(origin);
        this.#servers.delete(origin);
        if (this.#current === origin) this.#current = this.#servers.keys().next().value!;
        await server.close();
        this.#changed();
      });
      await this.#saved();
    },
    beginSignIn: async () => {
      this.#browserSignIn?.signIn.cancel();
      const server = this.#find(this.#current);
      const client = createClient({ server: server.origin, fetch: this.#fetch });
      const signIn = await beginBrowserSignIn(client, this.#closing.signal);
      this.#browserSignIn = signIn && { server, signIn };
      if (signIn === null) return null;
      const { code, page, pageWithCode } = signIn.prompt;
      // Without a browser on this machine, the person opens the page on another one.
      if (URL.parse(pageWithCode)?.origin === server.origin)
        await this.#options.native.openExternal(pageWithCode).catch(() => {});
      return { code, page };
    },
    awaitSignIn: async () => {
      const begun = this.#browserSignIn;
      if (begun === null) throw new ClientError('refused', 'No sign-in has begun. Start again.');
      return this.#signIn(begun.server, await begun.signIn.key);
    },
    cancelSignIn: async () => {
      this.#browserSignIn?.signIn.cancel();
      this.#browserSignIn = null;
    },
    signIn: ({ key }) => this.#signIn(this.#find(this.#current), key),
    signOut: async () => {
      const server = this.#find(this.#current);
      await this.#serially(async () => {
        await this.#removeKey(server.origin);
        server.forget();
      });
      await this.#saved();
    },
    refreshAccount: async () => void (await this.#find(this.#current).check()),
  } satisfies Partial<Handlers>;

  /** Reads the keys of the stored servers and begins to check them. */
  async load(): Promise<void> {
    const { servers } = this.#file.value();
    const keys = await Promise.all(servers.map(({ origin }) => this.#readKey(origin)));
    for (const [i, server] of servers.entries()) this.#add(server, keys[i] ?? null);
    void this.#readKeysKept();
    void this.#unlockLater();
    if (!this.#servers.has(this.#current)) this.#current = this.#servers.keys().next().value!;
    for (const server of this.#servers.values()) server.checkLater();
  }

  session(): Session {
    return {
      servers: Array.from(this.#servers.values(), (server) => ({ origin: server.origin, signIn: server.signIn() })),
      current: this.#current,
      keysKept: this.#keysKept,
      online: this.#isOnline,
    };
  }

  /**
   * A client with the key of the signed-in account, or without a key.
   *
   * @param origin Default: the current server.
   * @throws ClientError `unavailable` while the key cannot be read, so that nothing is published without it by mistake.
   */
  client(origin: string = this.#current): BerthClient {
    const server = this.#find(origin);
    if (server.isLocked()) throw lockedError();
    return server.client();
  }

  /** A client without a key. */
  anonymousClient(origin: string): BerthClient {
    return createClient({ server: this.#find(origin).origin, fetch: this.#fetch });
  }

  /** The error that says why the key of a server cannot be used yet; `null` if nothing is locked. */
  lockedError(origin: string): ClientError | null {
    return this.#servers.get(origin)?.isLocked() === true ? lockedError() : null;
  }

  /** Reads locked keys again now. Called when the screen was unlocked or the window comes to the front. */
  onWake(): void {
    this.#endPause.abort();
  }

  /**
   * Finds the client of a server that the user is signed in to. Also works while the server cannot be reached.
   *
   * @returns `null` if the user is signed out, the server rejected the key, or the server is unknown.
   */
  signedInClient(origin: string): BerthClient | null {
    const server = this.#servers.get(origin);
    const isSignedIn =
      server && !server.isLocked() && server.signIn().is !== 'signed-out' && server.signIn().is !== 'refused';
    return isSignedIn ? server.client() : null;
  }

  /**
   * Runs `work` with the client of the signed-in account. A 401 makes the session check the key again.
   *
   * @param origin Default: the current server.
   * @throws ClientError `signed-out` when the user is not signed in. Passes on the errors of `work`.
   */
  async withClient<T>(work: (client: BerthClient) => Promise<T>, origin: string = this.#current): Promise<T> {
    const client = this.signedInClient(origin);
    const locked = this.lockedError(origin);
    if (locked) throw locked;
    if (!client) throw new ClientError('signed-out', `You are not signed in to ${origin}.`);
    try {
      return await work(client);
    } catch (error) {
      this.reportFailure(origin, error);
      throw error;
    }
  }

  /** Reports a failed request. After a 401, the key of the server is checked again, so that the session becomes correct. */
  reportFailure(origin: string, error: unknown): void {
    if (error instanceof ClientError && error.status === 401) this.#servers.get(origin)?.checkLater();
  }

  /** Subscribes to changes of the session. */
  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  setOnline(online: boolean): void {
    if (online === this.#isOnline) return;
    this.#isOnline = online;
    this.#changed();
    if (!online) return;
    for (const server of this.#servers.values()) if (server.signIn().is !== 'signed-in') server.checkLater();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all(Array.from(this.#servers.values(), (server) => server.close()));
    await this.#file.change((value) => value).catch(() => {});
  }

  async #signIn(server: KnownServer, key: string): Promise<{ email: string }> {
    const signedIn = await signInWithKey(new URL(server.origin), key, this.#fetch, this.#closing.signal);
    await this.#serially(async () => {
      if (this.#servers.get(server.origin) !== server)
        throw new ClientError('aborted', `${server.origin} was removed in the meantime.`);
      const keyWrite = this.#options.native.keychain.write(server.origin, signedIn.key);
      await orRefuse(keyWrite, 'The system keychain refused to store the key.');
      server.use(signedIn);
    });
    void this.#readKeysKept();
    await this.#saved();
    return { email: signedIn.account.email };
  }

  #findServer(address: string): Promise<string> {
    const signal = AbortSignal.any([this.#closing.signal, AbortSignal.timeout(FIND_LIMIT_MS)]);
    return findServer(address, { fetch: this.#fetch, signal });
  }

  #find(origin: string): KnownServer {
    const server = this.#servers.get(origin);
    if (!server) throw new ClientError('refused', `${origin} is not one of your servers. Add it first.`);
    return server;
  }

  #add({ origin, email, account }: z.infer<typeof StoredServer>, key: string | null): void {
    const { pauses = PAUSES } = this.#options;
    const onChange = () => this.#changed();
    this.#servers.set(origin, new KnownServer({ origin, key, email, account, fetch: this.#fetch, pauses, onChange }));
  }

  /** Reads a key. @returns `locked` if the key store cannot be read now, or does not answer in time. */
  #readKey(origin: string): Promise<string | null | 'locked'> {
    const key = this.#options.native.keychain.read(origin).catch(() => 'locked' as const);
    return Promise.race([key, sleep(KEY_LIMIT_MS, 'locked' as const, { ref: false })]);
  }

  /** Finds out where keys are kept. The key store may ask the user before it answers. */
  async #readKeysKept(): Promise<void> {
    const kept = await this.#options.native.keychain.kept().catch(() => this.#keysKept);
    if (kept === this.#keysKept) return;
    this.#keysKept = kept;
    this.#changed();
  }

  /** Reads locked keys again, with growing pauses, until none is locked. */
  async #unlockLater(): Promise<void> {
    if (this.#isUnlocking) return;
    this.#isUnlocking = true;
    const { firstMs, longestMs } = this.#options.pauses ?? PAUSES;
    const lockedServers = () => [...this.#servers.values()].filter((server) => server.isLocked());
    for (let attempt = 0; lockedServers().length > 0; attempt += 1) {
      this.#endPause = new AbortController();
      const signal = AbortSignal.any([this.#closing.signal, this.#endPause.signal]);
      await sleep(backoffMs(attempt, firstMs, longestMs), undefined, { signal, ref: false }).catch(() => {});
      if (this.#closing.signal.aborted) return;
      for (const server of lockedServers()) {
        const key = await this.#readKey(server.origin);
        if (key !== 'locked' && server.isLocked()) server.unlock(key);
      }
    }
    this.#isUnlocking = false;
  }

  #removeKey(origin: string): Promise<void> {
    return orRefuse(this.#options.native.keychain.remove(origin), 'The system keychain could not delete the key.');
  }

  #save(): Promise<void> {
    return this.#file.change(() => ({
      current: this.#current,
      servers: Array.from(this.#servers.values(), (server) => ({
        origin: server.origin,
        email: server.email(),
        account: server.client().account,
      })),
    }));
  }

  #saved(): Promise<void> {
    return orRefuse(this.#save(), 'The list of your servers cannot be saved. Check that the disk is not full.');
  }

  #changed(): void {
    if (this.#closing.signal.aborted) return;
    // If this write fails, the next change writes everything. Commands that must know the outcome call `#saved`.
    this.#save().catch(() => {});
    this.#options.emit('session', this.session());
    for (const listener of this.#listeners) listener();
  }
}
