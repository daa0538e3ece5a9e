import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ClientError } from '@berth/client';
import type { Activity } from '@berth/contract';
import type { TestServer } from '@berth/testing/server';
import { expect, onTestFinished, vi } from 'vitest';
import { type Accounts, openAccounts } from '../../src/main/account/accounts.ts';
import type { Emit } from '../../src/main/backend.ts';
import { type Folders, openFolders } from '../../src/main/folders/folders.ts';
import { Grants } from '../../src/main/grants.ts';
import { NextDrop } from '../../src/main/next-drop.ts';
import { Notifications } from '../../src/main/notifications.ts';
import { createSites, type Sites } from '../../src/main/sites/sites.ts';
import type { CommandOutput } from '../../src/shared/contract.ts';
import type { FolderState, WatchedFolder } from '../../src/shared/folder.ts';
import type { SignIn } from '../../src/shared/session.ts';
import { DEFAULT_SETTINGS, type Settings } from '../../src/shared/settings.ts';
import { testNative, type TestNative } from './native.ts';

/** Short times for watching. Periodic scans are rare, so that only reported changes cause a scan. */
const FAST_RULE = { quietMs: 40, graceMs: 200, lookEveryMs: 60_000, firstPauseMs: 20, longestPauseMs: 200 };
const PAUSES = { firstMs: 20, longestMs: 200 };

/** Waits until an assertion passes. The limit allows for a busy machine. */
export async function eventually(holds: () => void | Promise<void>): Promise<void> {
  await vi.waitFor(holds, { timeout: 15_000, interval: 5 });
}

/** The accounts, folders and sites of an app that uses a real server. */
export interface World {
  server: TestServer;
  origin: string;
  home: string;
  dataDir: string;
  native: TestNative;
  settings: Settings;
  /** `down`: no server can be reached. `sent`: the server and credential of each request. */
  network: {
    down: boolean;
    sent: { origin: string; authorization: string | null }[];
    /** Delays a request until its promise resolves. */
    hold?: (url: string) => Promise<void>;
  };
  accounts: Accounts;
  folders: Folders;
  sites: Sites;
  grants: Grants;
  /** The emitted states of a folder, without consecutive duplicates. */
  emitted(id: string): FolderState['is'][];
  activities: Activity[];
  navigated: unknown[];
  /** The number of events about folders and about the session. */
  count(event: string): number;
  /** Writes a site into a folder. */
  build(name: string, files: Readonly<Record<string, string>>): string;
  grant(path: string): Promise<string>;
  /** Signs in with a new account. */
  signIn(plan?: string): Promise<{ key: string; account: string; deployToken: string }>;
  signInState(origin?: string): SignIn;
  /** Watches a folder and waits until it is live. */
  watch(path: string, domain: string, more?: { password?: string; labels?: string[] }): Promise<WatchedFolder>;
  folder(id: string): WatchedFolder;
  /** Waits until a folder is in a state and an event has reported it. */
  until(id: string, is: FolderState['is']): Promise<WatchedFolder>;
  /** Waits until an address serves a text. */
  untilShown(url: string, text: string): Promise<void>;
  /** The deployments of the account that are not deleted, newest first. */
  deployments(key?: string): Promise<string[]>;
  close(): Promise<void>;
  /** Closes the app and starts it again. @param native The system after the restart. Default: the same one. */
  reopen(native?: TestNative): Promise<void>;
}

/** The id of the folder that was just watched. @throws Error when the app asked a question instead. */
export function watchedId(answer: CommandOutput<'watch'>): string {
  if (answer.is === 'watched') return answer.id;
  throw new Error(`The app asked: ${answer.question.about}`);
}

/** A new app without data, which is removed after the test. */
export async function openWorld(server: TestServer, native: TestNative = testNative()): Promise<World> {
  const home = mkdtempSync(join(tmpdir(), 'berth-desktop-'));
  const origin = `http://localhost:${server.port}`;
  const dataDir = join(home, 'data');
  const states = new Map<string, FolderState['is'][]>();
  const counts = new Map<string, number>();
  let lastKey = '';

  const emit: Emit = (name, data) => {
    counts.set(name, world.count(name) + 1);
    if (name === 'activity') world.activities.push(data as Activity);
    if (name === 'navigate') world.navigated.push(data);
    if (name !== 'folders') return;
    for (const { id, state } of data as WatchedFolder[]) {
      const known = states.get(id) ?? [];
      if (known.at(-1) !== state.is) states.set(id, [...known, state.is]);
    }
  };

  const fetch: typeof globalThis.fetch = async (input, init) => {
    const { origin } = new URL(input instanceof Request ? input.url : input);
    if (world.network.down) throw new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED') });
    world.network.sent.push({ origin, authorization: new Headers(init?.headers).get('authorization') });
    const answer = await globalThis.fetch(input, init);
    await world.network.hold?.(input instanceof Request ? input.url : String(input));
    return answer;
  };

  const open = async (): Promise<Pick<World, 'accounts' | 'grants' | 'folders' | 'sites'>> => {
    const { native } = world;
    const accounts = await openAccounts({ native, dataDir, server: origin, emit, fetch, pauses: PAUSES });
    const grants = new Grants();
    const settings = () => world.settings;
    const openLink = (url: string) => void native.openExternal(url);
    const folders = await openFolders({
      native,
      accounts,
      grants,
      nextDrop: new NextDrop(() => {}),
      notifications: new Notifications({ native, settings, openLink, emit }),
      settings,
      dataDir,
      cacheDir: join(home, 'cache'),
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
    return { accounts, grants, folders, sites };
  };

  const world = {
    server,
    origin,
    home,
    dataDir,
    native,
    settings: DEFAULT_SETTINGS,
    network: { down: false, sent: [] },
    activities: [],
    navigated: [],
    emitted: (id) => states.get(id) ?? [],
    count: (event) => counts.get(event) ?? 0,
    build(name, files) {
      const folder = join(home, name);
      for (const [path, content] of Object.entries(files)) {
        mkdirSync(dirname(join(folder, path)), { recursive: true });
        writeFileSync(join(folder, path), content);
      }
      return folder;
    },
    async grant(path) {
      const [given] = await world.grants.give([path]);
      return given!.grant;
    },
    async signIn(plan = 'scale') {
      const created = await server.account(plan);
      await world.accounts.handlers.signIn({ key: created.key });
      lastKey = created.key;
      return created;
    },
    signInState: (of = origin) => world.accounts.session().servers.find(({ origin }) => origin === of)!.signIn,
    async watch(path, domain, { password, labels = [] } = {}) {
      const of = { grant: await world.grant(path) };
      const id = watchedId(await world.folders.handlers.watch({ of, domain, labels, password }));
      return world.until(id, 'live');
    },
    folder(id) {
      const found = world.folders.list().find((folder) => folder.id === id);
      if (!found) throw new Error(`There is no folder ${id}`);
      return found;
    },
    async until(id, is) {
      await eventually(() => {
        expect(world.folder(id).state).toMatchObject({ is });
        expect(world.emitted(id).at(-1)).toBe(is);
      });
      return world.folder(id);
    },
    async untilShown(url, text) {
      await eventually(async () => expect((await server.visit(url)).text).toBe(text));
    },
    async deployments(key = lastKey) {
      const answer = await server.api('/deployments?limit=100', { key });
      const { deployments } = answer.json<{ deployments: { deployment: string; status: string }[] }>();
      return deployments.filter(({ status }) => status === 'success').map(({ deployment }) => deployment);
    },
    async close() {
      await world.sites.close();
      await world.folders.close();
      await world.accounts.close();
    },
    async reopen(native = world.native) {
      await world.close();
      states.clear();
      world.native = native;
      Object.assign(world, await open());
    },
  } as Omit<World, 'accounts' | 'grants' | 'folders' | 'sites'> as World;
  Object.assign(world, await open());
  onTestFinished(async () => {
    await world.close();
    rmSync(home, { recursive: true, force: true });
  });
  return world;
}
