import { join } from 'node:path';
import { ClientError } from '@berth/client';
import type { Activity } from '@berth/contract';
import type { TestServer } from '@berth/testing/server';
import { expect, onTestFinished, vi } from 'vitest';
import { type Accounts, openAccounts } from '../../src/main/account/accounts.ts';
import type { Emit } from '../../src/main/backend.ts';
import { type Folders, openFolders } from '../../src/main/folders/folders.ts';
import { Grants } from '../../src/main/grants.ts';
import { createNextDrop } from '../../src/main/next-drop.ts';
import { openBuilds } from '../../src/main/projects/builds.ts';
import { Notifications } from '../../src/main/notifications.ts';
import { createSites, type Sites } from '../../src/main/sites/sites.ts';
import type { CommandOutput } from '../../src/shared/contract.ts';
import type { FolderState, WatchedFolder } from '../../src/shared/folder.ts';
import type { SignIn } from '../../src/shared/session.ts';
import { DEFAULT_SETTINGS } from '../../src/shared/settings.ts';
import { type Contents, makeHome, writeContents } from '../harness/app/folders.ts';
import { TestNative } from './native.ts';

/** Short pauses for watching. Periodic scans are rare, so that only reported changes cause a scan. */
const FAST_RULE = { quietMs: 40, graceMs: 200, lookEveryMs: 60_000, firstPauseMs: 20, longestPauseMs: 200 };
const PAUSES = { firstMs: 20, longestMs: 200 };

/** Waits until an assertion passes. The time limit is long enough for a busy machine. */
export async function eventually(holds: () => void | Promise<void>): Promise<void> {
  await vi.waitFor(holds, { timeout: 15_000, interval: 5 });
}

/** Returns the id of the folder that was just watched. @throws Error when the app asked a question instead. */
export function watchedId(output: CommandOutput<'watch'>): string {
  if (output.is === 'watched') return output.id;
  throw new Error(`The app asked: ${output.question.about}`);
}

/** A name below the platform domain that no other test uses. */
export const siteName = () => `site-${crypto.randomUUID().slice(0, 8)}.localhost`;

/** Opens an app that is signed in to a new account. */
export async function openSignedInWorld(server: TestServer, native?: TestNative) {
  const world = await openWorld(server, native);
  return { world, ...(await world.signIn()) };
}

/** Opens an app that is signed in and watches a live folder named `dist`, whose front page is `one`. */
export async function openWatched(server: TestServer, more: { password?: string; native?: TestNative } = {}) {
  const { world, key } = await openSignedInWorld(server, more.native);
  return { world, key, ...(await world.watchNew('dist', 'one', more)) };
}

/** Opens an app without data. The app is closed after the test. */
export async function openWorld(server: TestServer, native = new TestNative()): Promise<World> {
  const world = new World(server, native);
  onTestFinished(() => world.close());
  await world.open();
  return world;
}

/** The accounts, folders and sites of an app that uses a real server. */
class World {
  readonly server: TestServer;
  readonly origin: string;
  readonly home = makeHome();
  readonly dataDir = join(this.home, 'data');
  native: TestNative;
  settings = DEFAULT_SETTINGS;
  /** True while no server can be reached. */
  isDown = false;
  /** The server and credential of each request. */
  readonly sent: { origin: string; authorization: string | null }[] = [];
  /** Delays the response to a request until the returned promise resolves. */
  hold: (url: string) => Promise<void> = async () => {};
  grants!: Grants;
  accounts!: Accounts;
  folders!: Folders;
  sites!: Sites;
  handlers!: Accounts['handlers'] & Folders['handlers'] & Sites['handlers'];
  readonly activities: Activity[] = [];
  readonly navigated: unknown[] = [];
  readonly #states = new Map<string, FolderState['is'][]>();
  readonly #counts = new Map<string, number>();
  #lastKey = '';

  constructor(server: TestServer, native: TestNative) {
    this.server = server;
    this.origin = `http://localhost:${server.port}`;
    this.native = native;
  }

  async open(): Promise<void> {
    const { native, dataDir } = this;
    const emit = this.#emit;
    const settings = () => this.settings;
    const accounts = await openAccounts({
      native,
      dataDir,
      server: this.origin,
      emit,
      fetch: this.#fetch,
      pauses: PAUSES,
    });
    const grants = new Grants();
    const folders = await openFolders({
      native,
      accounts,
      grants,
      nextDrop: createNextDrop(() => {}),
      builds: await openBuilds({ dataDir, onDamaged: () => {} }),
      notifications: new Notifications(native, settings),
      settings,
      dataDir,
      cacheDir: join(this.home, 'cache'),
      watchRule: FAST_RULE,
      emit,
      publishedFolder: () => {
        throw new ClientError('refused', 'Nothing was published.');
      },
    });
    const sites = createSites({
      accounts,
      emit,
      pauses: PAUSES,
      onDomain: (server, domain) => folders.updateDomain(server, domain),
      onAddressChange: (server, domain, deployment) => folders.addressChanged(server, domain, deployment),
    });
    const handlers = { ...accounts.handlers, ...folders.handlers, ...sites.handlers };
    Object.assign(this, { accounts, grants, folders, sites, handlers });
  }

  async close(): Promise<void> {
    await this.sites.close();
    await this.folders.close();
    await this.accounts.close();
  }

  /** Closes the app and starts it again. @param native The system after the restart. */
  async reopen(native = this.native): Promise<void> {
    await this.close();
    this.#states.clear();
    this.native = native;
    await this.open();
  }

  /** The emitted states of a folder, without consecutive duplicates. */
  emitted = (id: string) => this.#states.get(id) ?? [];

  count = (event: string) => this.#counts.get(event) ?? 0;

  /** Writes files into a folder. @returns The folder's path. */
  build(name: string, files: Contents): string {
    writeContents(join(this.home, name), files);
    return join(this.home, name);
  }

  async grant(path: string): Promise<string> {
    const [given] = await this.grants.give([path]);
    return given!.grant;
  }

  async signIn(plan = 'scale') {
    const created = await this.server.account(plan);
    await this.handlers.signIn({ key: created.key });
    this.#lastKey = created.key;
    return created;
  }

  signInState = (of = this.origin): SignIn =>
    this.accounts.session().servers.find(({ origin }) => origin === of)!.signIn;

  /** Watches a folder and waits until it is live. */
  async watch(path: string, domain: string, more: { password?: string; labels?: string[] } = {}) {
    const of = { grant: await this.grant(path) };
    const { password, labels = [] } = more;
    return this.until(watchedId(await this.handlers.watch({ of, domain, labels, password })), 'live');
  }

  /** Watches a new folder at a new address, and waits until it is live. */
  watchNew = (name: string, text: string, more: { password?: string; labels?: string[] } = {}) =>
    this.watch(this.build(name, { 'index.html': text }), siteName(), more);

  /** Changes the front page of the folder `dist`, and waits until it is live. */
  async rebuild(id: string, text: string): Promise<WatchedFolder> {
    this.build('dist', { 'index.html': text });
    return this.untilPublished(id, text);
  }

  folder(id: string): WatchedFolder {
    const foundFolder = this.folders.list().find((folder) => folder.id === id);
    if (!foundFolder) throw new Error(`There is no folder ${id}`);
    return foundFolder;
  }

  /** Waits until a folder is in a state and an event has reported it. */
  async until(id: string, is: FolderState['is']): Promise<WatchedFolder> {
    await eventually(() => {
      expect(this.folder(id).state).toMatchObject({ is });
      expect(this.emitted(id).at(-1)).toBe(is);
    });
    return this.folder(id);
  }

  /** Waits until a folder is live and its address serves a text. */
  async untilPublished(id: string, text: string): Promise<WatchedFolder> {
    await eventually(async () => expect((await this.server.visit(this.folder(id).url!)).text).toBe(text));
    return this.until(id, 'live');
  }

  /** The deployments of the account that are not deleted, newest first. */
  async deployments(): Promise<string[]> {
    const response = await this.server.api('/deployments?limit=100', { key: this.#lastKey });
    const { deployments } = response.json<{ deployments: { deployment: string; status: string }[] }>();
    return deployments.filter(({ status }) => status === 'success').map(({ deployment }) => deployment);
  }

  readonly #emit: Emit = (name, data) => {
    this.#counts.set(name, this.count(name) + 1);
    if (name === 'activity') this.activities.push(data as Activity);
    if (name === 'navigate') this.navigated.push(data);
    if (name !== 'folders') return;
    for (const { id, state } of data as WatchedFolder[]) {
      const emittedBefore = this.emitted(id);
      if (emittedBefore.at(-1) !== state.is) this.#states.set(id, [...emittedBefore, state.is]);
    }
  };

  readonly #fetch: typeof globalThis.fetch = async (input, init) => {
    const url = input instanceof Request ? input.url : String(input);
    if (this.isDown) throw new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED') });
    this.sent.push({
      origin: new URL(url).origin,
      authorization: new Headers(init?.headers).get('authorization'),
    });
    const response = await globalThis.fetch(input, init);
    await this.hold(url);
    return response;
  };
}
