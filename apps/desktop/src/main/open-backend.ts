import { mkdir } from 'node:fs/promises';
import { WATCH_RULE } from '@berth/client';
import type { AppState } from '../shared/contract.ts';
import type { Problem } from '../shared/problem.ts';
import type { Update } from '../shared/settings.ts';
import { openAccounts } from './account/open-accounts.ts';
import { createAppCommands } from './app-commands.ts';
import type { Backend, BackendOptions, Tell } from './backend.ts';
import { openFolders } from './folders/open-folders.ts';
import { createGrants } from './grants.ts';
import { createNextDrop } from './next-drop.ts';
import { openPublishings } from './publishing/open-publishings.ts';
import { openSettings } from './settings.ts';
import { createSites } from './sites/sites.ts';
import { lostWith } from './storage/set-aside.ts';
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
  const onSetAside = (path: string, copy: string) => void lost.push(lostWith(path, copy));

  const tell: Tell = (name, data) => {
    // The page cannot have read the state before it is complete.
    if (!isOpen) return;
    options.tell(name, data);
    // A publishing says whether its folder is watched, so it changes too.
    if (name === 'folders') publishings.watchedChanged();
  };

  for (const dir of [dataDir, cacheDir]) await mkdir(dir, { recursive: true, mode: 0o700 });
  const settings = await openSettings({ native, dataDir, tell: (value) => tell('settings', value), onSetAside });
  const accounts = await openAccounts({ native, dataDir, server, tell, onSetAside });
  const grants = createGrants();
  const nextDrop = createNextDrop(() => tell('dropTaken', {}));
  const shared = {
    native,
    accounts,
    grants,
    nextDrop,
    settings: settings.value,
    dataDir,
    cacheDir,
    openLink,
    onSetAside,
  };
  const folders = await openFolders({
    ...shared,
    watchRule,
    tell,
    publishedFolder: (id) => publishings.publishedFolder(id),
  });
  const sites = createSites({
    accounts,
    tell,
    onDomain: folders.hearDomain,
    onAddressChange: folders.hearAddressChange,
  });
  const app = createAppCommands({ native, grants, state });
  const publishings = await openPublishings({
    ...shared,
    rule: { ...WATCH_RULE, ...watchRule },
    retries,
    watchedPaths: () => folders.list().map(({ path }) => path),
    showPublishing(id) {
      native.showWindow();
      tell('navigate', { page: 'publish', id });
    },
    tell: (list) => tell('publishings', list),
    tellTrouble: (problem) => tell('problem', { problem }),
  });
  isOpen = true;
  for (const problem of lost) tell('problem', { problem });

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

  function awake(): void {
    folders.awake();
    publishings.awake();
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
    awake,
    setOnline(online) {
      accounts.setOnline(online);
      if (online) awake();
    },
    setUpdate(next) {
      update = next;
      tell('update', update);
    },
    async close() {
      await Promise.all([publishings.close(), folders.close(), sites.close()]);
      await accounts.close();
    },
  };
}
