import { mkdir } from 'node:fs/promises';
import { WATCH_RULE } from '@berth/client';
import type { AppState } from '../shared/contract.ts';
import type { Problem } from '../shared/problem.ts';
import type { GivenItem } from '../shared/publishing.ts';
import type { Update } from '../shared/settings.ts';
import { openAccounts } from './account/accounts.ts';
import { createAppCommands } from './app-commands.ts';
import type { Backend, BackendOptions, Emit, Handlers, Summary } from './backend.ts';
import { openFolders } from './folders/folders.ts';
import { Grants } from './grants.ts';
import { createNextDrop } from './next-drop.ts';
import { Notifications } from './notifications.ts';
import { openBuilds } from './projects/builds.ts';
import { openPublishings } from './publishing/publishings.ts';
import { openSettings } from './settings.ts';
import { openSiteFolders } from './sites/site-folders.ts';
import { createSites } from './sites/sites.ts';
import { dataLossProblem } from './storage/damaged-file.ts';
import { summarize } from './summary.ts';

/** The current server until the user has chosen one. It is that of a server on this machine, as `npm start` starts it. */
const UNCHOSEN_SERVER = 'http://localhost:4000';

/**
 * Opens the app without its windows. Loads the stored data and resumes unfinished work. Emits one notice for each damaged file.
 * Does not wait for any folder.
 *
 * @throws Error when stored data cannot be read. Source: desktop §1, §6.
 */
export async function openBackend(options: BackendOptions): Promise<Backend> {
  const losses: Problem[] = [];
  let backend: OpenBackend | null = null;
  const emit: Emit = (name, data) => {
    // The page reads the complete state first, so it needs no earlier events.
    if (!backend) return;
    options.emit(name, data);
    // A publish job says whether its folder is watched, so the publish jobs change too.
    if (name === 'folders') backend.watchedChanged();
  };
  const onDamaged = (path: string, copy: string) => void losses.push(dataLossProblem(path, copy));
  const parts = await openParts({ ...options, emit, onDamaged, state: () => backend!.state() });
  backend = new OpenBackend(parts);
  for (const problem of losses) emit('problem', { problem });
  return backend;
}

interface PartsOptions extends BackendOptions {
  onDamaged(path: string, copy: string): void;
  state(): AppState;
}

type Parts = Awaited<ReturnType<typeof openParts>>;

async function openParts(options: PartsOptions) {
  const { about, native, emit, dataDir, cacheDir, server, watchRule, onDamaged, state } = options;
  for (const dir of [dataDir, cacheDir]) await mkdir(dir, { recursive: true, mode: 0o700 });
  const settings = await openSettings({ native, dataDir, onChange: (value) => emit('settings', value), onDamaged });
  const accounts = await openAccounts({
    native,
    dataDir,
    server: server ?? UNCHOSEN_SERVER,
    emit,
    onDamaged,
    fetch: options.fetch,
  });
  const nextDrop = createNextDrop(() => emit('dropTaken', {}));
  const grants = new Grants();
  const app = createAppCommands({ native, grants, state });
  const notifications = new Notifications(native, settings.value);
  const siteFolders = await openSiteFolders({
    dataDir,
    onChange: (list) => emit('siteFolders', list),
    onDamaged,
  });
  const builds = await openBuilds({ dataDir, onDamaged });
  const sharedOptions = { ...options, accounts, grants, nextDrop, notifications };
  const folders = await openFolders({
    ...sharedOptions,
    builds,
    settings: settings.value,
    publishedFolder: (id) => publishings.publishedFolder(id),
  });
  const sites = createSites({
    accounts,
    emit,
    onDomain: (origin, domain) => folders.updateDomain(origin, domain),
    onAddressChange(origin, domain, deployment) {
      folders.addressChanged(origin, domain, deployment);
      siteFolders.addressChanged(origin, domain, deployment);
    },
  });
  const watchedAt = (server: string, path: string) =>
    folders.list().find((folder) => folder.server === server && folder.path === path);
  const publishings = await openPublishings({
    ...sharedOptions,
    rule: { ...WATCH_RULE, ...watchRule },
    watchedPaths: () => folders.list().map(({ path }) => path),
    siteFolders,
    builds,
    isReady: () => server !== undefined || settings.value().welcomed,
    watchedDomain: (server, path) => watchedAt(server, path)?.domain ?? null,
    async publishWatched(server, path) {
      const watched = watchedAt(server, path);
      if (watched) await folders.handlers.publishFolder({ id: watched.id });
      return watched !== undefined;
    },
    showFolder: (path) => native.showFolder(path),
    onChange: (list) => emit('publishings', list),
    onProblem: (problem) => emit('problem', { problem }),
  });
  return {
    about,
    emit,
    app,
    settings,
    nextDrop,
    accounts,
    grants,
    publishings,
    folders,
    siteFolders,
    sites,
    presetServer: server ?? null,
  };
}

class OpenBackend implements Backend {
  readonly handlers: Handlers;
  readonly #parts: Parts;
  #update: Update = { is: 'none' };

  constructor(parts: Parts) {
    this.#parts = parts;
    this.handlers = {
      ...parts.app,
      ...parts.settings.handlers,
      ...parts.nextDrop.handlers,
      ...parts.accounts.handlers,
      ...parts.publishings.handlers,
      ...parts.folders.handlers,
      ...parts.sites.handlers,
    };
  }

  state(): AppState {
    const { publishings, folders, siteFolders, accounts, settings, about, presetServer } = this.#parts;
    return {
      publishings: publishings.list(),
      folders: folders.list(),
      siteFolders: siteFolders.list(),
      session: accounts.session(),
      settings: settings.value(),
      update: this.#update,
      about,
      presetServer,
    };
  }

  give(paths: readonly string[]): Promise<GivenItem[]> {
    return this.#parts.grants.give(paths);
  }

  summary(): Summary {
    const { publishings, folders, accounts } = this.#parts;
    return summarize({
      publishings: publishings.list(),
      failedAt: publishings.failedAt(),
      folders: folders.list(),
      online: accounts.session().online,
      nowMs: Date.now(),
    });
  }

  onWake(): void {
    this.#parts.accounts.onWake();
    this.#parts.folders.onWake();
    this.#parts.publishings.onWake();
  }

  watchedChanged(): void {
    this.#parts.publishings.watchedChanged();
  }

  setOnline(online: boolean): void {
    this.#parts.accounts.setOnline(online);
    if (online) this.onWake();
  }

  setUpdate(update: Update): void {
    this.#update = update;
    this.#parts.emit('update', update);
  }

  async close(): Promise<void> {
    const { publishings, folders, sites, accounts } = this.#parts;
    await Promise.all([publishings.close(), folders.close(), sites.close()]);
    await accounts.close();
  }
}
