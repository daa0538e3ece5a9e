import { join } from 'node:path';
import { ClientError } from '@berth/client';
import { z } from 'zod';
import type { Session } from '../../shared/session.ts';
import type { Emit } from '../backend.ts';
import { createSerialQueue } from '../serial-queue.ts';
import type { Native } from '../native.ts';
import { type JsonFileOptions, openJsonFile } from '../storage/json-file.ts';
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
 * @throws Error when `servers.json` cannot be read. Source: design of the desktop app, §1, §6; security T40.
 */
export async function openAccounts({
  native: { keychain },
  dataDir,
  server: first,
  emit,
  onDamaged,
  fetch = globalThis.fetch,
  method = pastedKey(fetch),
  pauses = PAUSES,
}: AccountsOptions): Promise<Accounts> {
  const origin = readServerAddress(first);
  const initial = { current: origin, servers: [{ origin, email: null, account: null }] };
  const file = await openJsonFile({ path: join(dataDir, 'servers.json'), schema: Servers, initial, onDamaged });
  const servers = new Map<string, KnownServer>();
  const listeners: (() => void)[] = [];
  const closing = new AbortController();
  /** Runs changes of servers and keys one after the other, so that each sees the result of the one before. */
  const serially = createSerialQueue();
  let { current } = file.value();
  let online = true;

  const session = (): Session => ({
    servers: [...servers.values()].map((server) => ({ origin: server.origin, signIn: server.signIn() })),
    current,
    keysKept: keychain.kept,
    online,
  });

  const save = (): Promise<void> =>
    file.change(() => ({
      current,
      servers: [...servers.values()].map((server) => ({
        origin: server.origin,
        email: server.email(),
        account: server.client().account,
      })),
    }));

  const saved = (): Promise<void> =>
    save().catch((cause: unknown) => {
      throw new ClientError('refused', 'The list of your servers cannot be saved. Check that the disk is not full.', {
        cause,
      });
    });

  const changed = (): void => {
    if (closing.signal.aborted) return;
    // If this write fails, the next change writes everything. Commands that must know the outcome call `saved`.
    save().catch(() => {});
    emit('session', session());
    for (const listener of listeners) listener();
  };

  const know = async ({ origin, email, account }: z.infer<typeof Servers>['servers'][number]): Promise<void> => {
    const key = await keychain.read(origin).catch(() => null);
    servers.set(origin, createKnownServer({ origin, key, email, account, fetch, pauses, onChange: changed }));
  };

  const find = (origin: string): KnownServer => {
    const server = servers.get(origin);
    if (!server) throw new ClientError('refused', `${origin} is not one of your servers. Add it first.`);
    return server;
  };

  const removeKey = (origin: string): Promise<void> =>
    keychain.remove(origin).catch((cause: unknown) => {
      throw new ClientError('refused', 'The system keychain could not delete the key.', { cause });
    });

  for (const server of file.value().servers) await know(server);
  if (!servers.has(current)) current = servers.keys().next().value!;
  for (const server of servers.values()) void server.check().catch(() => {});

  return {
    session,
    client: (origin = current) => find(origin).client(),
    onChange: (listener) => void listeners.push(listener),
    refused: (origin) =>
      void servers
        .get(origin)
        ?.check()
        .catch(() => {}),
    setOnline(now) {
      if (now === online) return;
      online = now;
      changed();
      if (!now) return;
      for (const server of servers.values())
        if (server.signIn().is !== 'signed-in') void server.check().catch(() => {});
    },
    handlers: {
      async addServer({ address }) {
        const typed = readServerAddress(address);
        const signal = AbortSignal.any([closing.signal, AbortSignal.timeout(FIND_WITHIN_MS)]);
        const origin = servers.has(typed) ? typed : await findServer(typed, { fetch, signal });
        await serially(async () => {
          if (!servers.has(origin)) {
            if (servers.size >= MAX_SERVERS)
              throw new ClientError('refused', `You can have at most ${MAX_SERVERS} servers. Remove one first.`);
            await know({ origin, email: null, account: null });
            void find(origin)
              .check()
              .catch(() => {});
          }
          current = origin;
          changed();
        });
        await saved();
        return { origin };
      },
      async chooseServer({ origin }) {
        ({ origin: current } = find(origin));
        changed();
        await saved();
      },
      async removeServer({ origin }) {
        await serially(async () => {
          const server = find(origin);
          if (servers.size === 1) throw new ClientError('refused', 'This is your only server. Add another one first.');
          await removeKey(origin);
          servers.delete(origin);
          if (current === origin) current = servers.keys().next().value!;
          await server.close();
          changed();
        });
        await saved();
      },
      async signIn({ key }) {
        const server = find(current);
        const signedIn = await method.signIn(new URL(server.origin), { key }, closing.signal);
        await serially(async () => {
          if (servers.get(server.origin) !== server)
            throw new ClientError('aborted', `${server.origin} was removed in the meantime.`);
          await keychain.write(server.origin, signedIn.key).catch((cause: unknown) => {
            throw new ClientError('refused', 'The system keychain refused to store the key.', { cause });
          });
          server.use(signedIn);
        });
        await saved();
        return { email: signedIn.account.email };
      },
      async signOut() {
        const server = find(current);
        await serially(async () => {
          await removeKey(server.origin);
          server.forget();
        });
        await saved();
      },
      async refreshAccount() {
        await find(current).check();
      },
    },
    async close() {
      closing.abort();
      await Promise.all([...servers.values()].map((server) => server.close()));
      await file.change((value) => value).catch(() => {});
    },
  };
}
