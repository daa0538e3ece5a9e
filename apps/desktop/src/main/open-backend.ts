import { mkdir } from 'node:fs/promises';
import { WATCH_RULE } from '@berth/client';
import type { AppState } from '../shared/contract.ts';
import type { Problem } from '../shared/problem.ts';
import type { Update } from '../shared/settings.ts';
import { openAccounts } from './account/open-accounts.ts';
import { createAppCommands } from './app-commands.ts';
import type { Backend, BackendOptions, Emit } from './backend.ts';
import { openFolders } from './folders/open-folders.ts';
import { createGrants } from './grants.ts';
import { createNextDrop } from './next-drop.ts';
import { openPublishings } from './publishing/open-publishings.ts';
import { openSettings } from './settings.ts';
import { createSites } from './sites/sites.ts';
import { dataLossProblem } from './storage/damaged-file.ts';
import { summarize } from './summary.ts';

const FIRST_SERVER = 'http://localhost:4000';

/**
 * Opens the app without its windows. Loads the stored data and resumes unfinished work. Emits one notice for each damaged file.
 * Does not wait for any folder.
 *
 * @throws Error when stored data cannot be read. Source: design of the desktop app, §1, §6.
 */
export async function openBackend(options: BackendOptions): Promise<Backend> {
  const { native, about, dataDir, cacheDir, server = FIRST_SERVER, watchRule, retries } = options;
  let update: Update = { is: 'none' };
  let isOpen = false;
  const lost: Problem[] = [];
  const onDamaged = (path: string, copy: string) => void lost.push(dataLossProblem(path, copy));

  const emit: Emit = (name, data) => {
    // The page cannot have read the state before it is complete.
    if (!isOpen) return;
    options.emit(name, data);
    // A publishing says whether its folder is watched, so it changes too.
    if (name === 'folders') publishings.watchedChanged();
  };

  for (const dir of [dataDir, cacheDir]) await mkdir(dir, { recursive: true, mode: 0o700 });
  const settings = await openSettings({ native, dataDir, onChange: (value) => emit('settings', value), onDamaged });
  const accounts = await openAccounts({ native, dataDir, server, emit, onDamaged });
  const grants = createGrants();
  const nextDrop = createNextDrop(() => emit('dropTaken', {}));
  const shared = {
    native,
    accounts,
    grants,
    nextDrop,
    settings: settings.value,
    dataDir,
    cacheDir,
    openLink,
    onDamaged,
  };
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
  const app = createAppCommands({ native, grants, state });
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
    onProblem: (problem) => emit('notice', { problem }),
  });
  isOpen = true;
  for (const problem of lost) emit('notice', { problem });

  function state(): AppState {
    return {
      publishings: publishings.list(),
      folders: folders.list(),
      session: accounts.session(),
      settings: settings.value(),
      update,
      about,
    };
  }

  function openLink(url: string): void {
    void app.openLink({ url }).catch(() => {});
  }

  function onWake(): void {
    folders.onWake();
    publishings.onWake();
  }

  return {
    handlers: {
      ...app,
      ...settings.handlers,
      ...nextDrop.handlers,
      ...accounts.handlers,
      ...publishings.handlers,
      ...folders.handlers,
      ...sites.handlers,
    },
    give: grants.give,
    summary: () =>
      summarize({
        publishings: publishings.list(),
        failedAt: publishings.failedAt(),
        folders: folders.list(),
        online: accounts.session().online,
        nowMs: Date.now(),
      }),
    onWake,
    setOnline(online) {
      accounts.setOnline(online);
      if (online) onWake();
    },
    setUpdate(next) {
      update = next;
      emit('update', update);
    },
    async close() {
      await Promise.all([publishings.close(), folders.close(), sites.close()]);
      await accounts.close();
    },
  };
}
