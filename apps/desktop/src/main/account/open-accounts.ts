import { join } from 'node:path';
import { type BerthClient, ClientError } from '@berth/client';
import { z } from 'zod';
import type { Session } from '../../shared/session.ts';
import type { Emit } from '../backend.ts';
import { createSerialQueue } from '../serial-queue.ts';
import type { Keychain, Native } from '../native.ts';
import { type JsonFile, type JsonFileOptions, openJsonFile } from '../storage/json-file.ts';
import type { Accounts } from './accounts.ts';
import { readServerAddress } from './address.ts';
import { findServer } from './find-server.ts';
import { createKnownServer, type KnownServer, type Pauses } from './known-server.ts';
import { pastedKey } from './pasted-key.ts';
import type { SignInMethod } from './sign-in-method.ts';

const MAX_SERVERS = 50;
/** How long the check of a new server may take, in milliseconds. */
const FIND_WITHIN_MS = 15_000;
const PAUSES: Pauses = { firstMs: 2_000, longestMs: 2 * 60_000 };

/** The content of `servers.json`. Keys are in the keychain instead. */
const Servers = z.object({
  current: z.url(),
  servers: z
    .array(z.object({ origin: z.url(), email: z.string().nullable(), account: z.string().nullable() }))
    .min(1)
    .max(MAX_SERVERS),
});
type Servers = z.infer<typeof Servers>;

export interface AccountsOptions {
  native: Pick<Native, 'keychain'>;
  /** The folder of `servers.json`. */
  dataDir: string;
  /** The server that is known when the app starts for the first time. */
  server: string;
  emit: Emit;
  /** Called when the file is damaged. */
  onDamaged?: JsonFileOptions<unknown>['onDamaged'];
  /** Default: the global one. */
  fetch?: typeof globalThis.fetch | undefined;
  /** How the user signs in. Default: with a pasted key. */
  method?: SignInMethod<{ key: string }> | undefined;
  /** Default: from 2 seconds to 2 minutes. */
  pauses?: Pauses | undefined;
}

/**
 * Opens the known servers and checks the key of each, without waiting for the results.
 *
 * A key belongs to one server and is never sent to another.
 *
 * @throws Error when `servers.json` cannot be read. Source: desktop §1, §6; security T40.
 */
export async function openAccounts(options: AccountsOptions): Promise<Accounts> {
  const origin = readServerAddress(options.server);
  const initial = { current: origin, servers: [{ origin, email: null, account: null }] };
  const path = join(options.dataDir, 'servers.json');
  const file = await openJsonFile<Servers>({ path, schema: Servers, initial, onDamaged: options.onDamaged });
  const accounts = new ServerAccounts(options, file);
  await accounts.load();
  return accounts;
}

class ServerAccounts implements Accounts {
  readonly handlers: Accounts['handlers'] = {
    addServer: ({ address }) => this.#addServer(address),
    chooseServer: ({ origin }) => this.#chooseServer(origin),
    removeServer: ({ origin }) => this.#removeServer(origin),
    signIn: ({ key }) => this.#signIn(key),
    signOut: () => this.#signOut(),
    refreshAccount: async () => {
      await this.#find(this.#current).check();
    },
  };
  readonly #keychain: Keychain;
  readonly #file: JsonFile<Servers>;
  readonly #emit: Emit;
  readonly #fetch: typeof globalThis.fetch;
  readonly #method: SignInMethod<{ key: string }>;
  readonly #pauses: Pauses;
  readonly #servers = new Map<string, KnownServer>();
  readonly #listeners: (() => void)[] = [];
  readonly #closing = new AbortController();
  /** Runs changes of servers and keys one after the other, so that each sees the result of the one before. */
  readonly #serially = createSerialQueue();
  #current: string;
  #online = true;

  constructor(options: AccountsOptions, file: JsonFile<Servers>) {
    const { native, emit, fetch = globalThis.fetch, method = pastedKey(fetch), pauses = PAUSES } = options;
    this.#keychain = native.keychain;
    this.#file = file;
    this.#emit = emit;
    this.#fetch = fetch;
    this.#method = method;
    this.#pauses = pauses;
    this.#current = file.value().current;
  }

  /** Reads the keys of the stored servers and begins to check them. */
  async load(): Promise<void> {
    for (const server of this.#file.value().servers) await this.#add(server);
    if (!this.#servers.has(this.#current)) this.#current = this.#servers.keys().next().value!;
    for (const server of this.#servers.values()) checkLater(server);
  }

  session(): Session {
    return {
      servers: [...this.#servers.values()].map((server) => ({ origin: server.origin, signIn: server.signIn() })),
      current: this.#current,
      keysKept: this.#keychain.kept,
      online: this.#online,
    };
  }

  client(origin: string = this.#current): BerthClient {
    return this.#find(origin).client();
  }

  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  refused(origin: string): void {
    const server = this.#servers.get(origin);
    if (server) checkLater(server);
  }

  setOnline(online: boolean): void {
    if (online === this.#online) return;
    this.#online = online;
    this.#changed();
    if (!online) return;
    for (const server of this.#servers.values()) if (server.signIn().is !== 'signed-in') checkLater(server);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all([...this.#servers.values()].map((server) => server.close()));
    await this.#file.change((value) => value).catch(() => {});
  }

  async #addServer(address: string): Promise<{ origin: string }> {
    const typed = readServerAddress(address);
    const signal = AbortSignal.any([this.#closing.signal, AbortSignal.timeout(FIND_WITHIN_MS)]);
    const origin = this.#servers.has(typed) ? typed : await findServer(typed, { fetch: this.#fetch, signal });
    await this.#serially(async () => {
      if (!this.#servers.has(origin)) {
        if (this.#servers.size >= MAX_SERVERS)
          throw new ClientError('refused', `You can have at most ${MAX_SERVERS} servers. Remove one first.`);
        await this.#add({ origin, email: null, account: null });
        checkLater(this.#find(origin));
      }
      this.#current = origin;
      this.#changed();
    });
    await this.#saved();
    return { origin };
  }

  async #chooseServer(origin: string): Promise<undefined> {
    this.#current = this.#find(origin).origin;
    this.#changed();
    await this.#saved();
  }

  async #removeServer(origin: string): Promise<undefined> {
    await this.#serially(async () => {
      const server = this.#find(origin);
      if (this.#servers.size === 1)
        throw new ClientError('refused', 'This is your only server. Add another one first.');
      await this.#removeKey(origin);
      this.#servers.delete(origin);
      if (this.#current === origin) this.#current = this.#servers.keys().next().value!;
      await server.close();
      this.#changed();
    });
    await this.#saved();
  }

  async #signIn(key: string): Promise<{ email: string }> {
    const server = this.#find(this.#current);
    const signedIn = await this.#method.signIn(new URL(server.origin), { key }, this.#closing.signal);
    await this.#serially(async () => {
      if (this.#servers.get(server.origin) !== server)
        throw new ClientError('aborted', `${server.origin} was removed in the meantime.`);
      await this.#keychain.write(server.origin, signedIn.key).catch((cause: unknown) => {
        throw new ClientError('refused', 'The system keychain refused to store the key.', { cause });
      });
      server.use(signedIn);
    });
    await this.#saved();
    return { email: signedIn.account.email };
  }

  async #signOut(): Promise<undefined> {
    const server = this.#find(this.#current);
    await this.#serially(async () => {
      await this.#removeKey(server.origin);
      server.forget();
    });
    await this.#saved();
  }

  async #add({ origin, email, account }: Servers['servers'][number]): Promise<void> {
    const key = await this.#keychain.read(origin).catch(() => null);
    const onChange = () => this.#changed();
    const known = { origin, key, email, account, fetch: this.#fetch, pauses: this.#pauses, onChange };
    this.#servers.set(origin, createKnownServer(known));
  }

  #find(origin: string): KnownServer {
    const server = this.#servers.get(origin);
    if (!server) throw new ClientError('refused', `${origin} is not one of your servers. Add it first.`);
    return server;
  }

  #removeKey(origin: string): Promise<void> {
    return this.#keychain.remove(origin).catch((cause: unknown) => {
      throw new ClientError('refused', 'The system keychain could not delete the key.', { cause });
    });
  }

  #changed(): void {
    if (this.#closing.signal.aborted) return;
    // If this write fails, the next change writes everything. Commands that must know the outcome call `#saved`.
    this.#save().catch(() => {});
    this.#emit('session', this.session());
    for (const listener of this.#listeners) listener();
  }

  #save(): Promise<void> {
    return this.#file.change(() => ({
      current: this.#current,
      servers: [...this.#servers.values()].map((server) => ({
        origin: server.origin,
        email: server.email(),
        account: server.client().account,
      })),
    }));
  }

  #saved(): Promise<void> {
    return this.#save().catch((cause: unknown) => {
      throw new ClientError('refused', 'The list of your servers cannot be saved. Check that the disk is not full.', {
        cause,
      });
    });
  }
}

/** Checks the key of a server in the background. The result becomes the server's sign-in state. */
function checkLater(server: KnownServer): void {
  void server.check().catch(() => {});
}
