import { mkdir } from 'node:fs/promises';
import { WATCH_RULE } from '@berth/client';
import type { AppState } from '../shared/contract.ts';
import type { Problem } from '../shared/problem.ts';
import type { Given } from '../shared/publishing.ts';
import type { About, Update } from '../shared/settings.ts';
import type { Accounts } from './account/accounts.ts';
import { openAccounts } from './account/open-accounts.ts';
import { type AppCommands, createAppCommands } from './app-commands.ts';
import type { Backend, BackendOptions, Emit, Handlers, Summary } from './backend.ts';
import { type Folders, openFolders } from './folders/open-folders.ts';
import { createGrants, type Grants } from './grants.ts';
import { createNextDrop, type NextDrop } from './next-drop.ts';
import { openPublishings, type Publishings } from './publishing/open-publishings.ts';
import { type OpenSettings, openSettings } from './settings.ts';
import { createSites, type Sites } from './sites/sites.ts';
import { dataLossProblem } from './storage/damaged-file.ts';
import { summarize } from './summary.ts';

const FIRST_SERVER = 'http://localhost:4000';

/**
 * Opens the app without its windows. Loads the stored data and resumes unfinished work. Emits one notice for each damaged file.
 * Does not wait for any folder.
 *
 * @throws Error when stored data cannot be read. Source: desktop §1, §6.
 */
export async function openBackend(options: BackendOptions): Promise<Backend> {
  const { native, about, watchRule, retries } = options;
  let isOpen = false;
  const lost: Problem[] = [];
  const onDamaged = (path: string, copy: string) => void lost.push(dataLossProblem(path, copy));

  const emit: Emit = (name, data) => {
    // Until the state is complete, the page has not read it and needs no events.
    if (!isOpen) return;
    options.emit(name, data);
    // A publishing says whether its folder is watched, so it changes too.
    if (name === 'folders') publishings.watchedChanged();
  };

  const stores = await openStores(options, emit, onDamaged);
  const { accounts, grants, nextDrop, settings } = stores;
  const app = createAppCommands({ native, grants, state: () => backend.state() });
  const openLink = (url: string) => void app.openLink({ url }).catch(() => {});
  const shared = { ...stores, settings: settings.value, openLink, onDamaged };
  const folders = await openFolders({
    ...shared,
    watchRule,
    emit,
    publishedFolder: (id) => publishings.publishedFolder(id),
  });
  const sites = createSites({
    accounts,
    emit,
    onDomain: (server, domain) => folders.updateDomain(server, domain),
    onAddressChange: (server, domain, deployment) => folders.addressChanged(server, domain, deployment),
  });
  const publishings = await openPublishings({
    ...shared,
    rule: { ...WATCH_RULE, ...watchRule },
    retries,
    watchedPaths: () => folders.list().map(({ path }) => path),
    showPublishing(id) {
      native.showWindow();
      emit('navigate', { page: 'publish', id });
    },
    onChange: (list) => emit('publishings', list),
    onProblem: (problem) => emit('problem', { problem }),
  });
  const backend = new OpenBackend({
    about,
    emit,
    app,
    settings,
    nextDrop,
    accounts,
    grants,
    publishings,
    folders,
    sites,
  });
  isOpen = true;
  for (const problem of lost) emit('problem', { problem });
  return backend;
}

/** Opens the parts that folders and publishings use. */
async function openStores(
  { native, dataDir, cacheDir, server = FIRST_SERVER }: BackendOptions,
  emit: Emit,
  onDamaged: (path: string, copy: string) => void,
) {
  for (const dir of [dataDir, cacheDir]) await mkdir(dir, { recursive: true, mode: 0o700 });
  const settings = await openSettings({ native, dataDir, onChange: (value) => emit('settings', value), onDamaged });
  const accounts = await openAccounts({ native, dataDir, server, emit, onDamaged });
  const nextDrop = createNextDrop(() => emit('dropTaken', {}));
  return { native, dataDir, cacheDir, settings, accounts, grants: createGrants(), nextDrop };
}

interface BackendParts {
  about: About;
  emit: Emit;
  app: AppCommands;
  settings: OpenSettings;
  nextDrop: NextDrop;
  accounts: Accounts;
  grants: Grants;
  publishings: Publishings;
  folders: Folders;
  sites: Sites;
}

class OpenBackend implements Backend {
  readonly handlers: Handlers;
  readonly #parts: BackendParts;
  #update: Update = { is: 'none' };

  constructor(parts: BackendParts) {
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

  /** Everything that the window shows. */
  state(): AppState {
    const { publishings, folders, accounts, settings, about } = this.#parts;
    return {
      publishings: publishings.list(),
      folders: folders.list(),
      session: accounts.session(),
      settings: settings.value(),
      update: this.#update,
      about,
    };
  }

  give(paths: readonly string[]): Promise<Given[]> {
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
    this.#parts.folders.onWake();
    this.#parts.publishings.onWake();
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
