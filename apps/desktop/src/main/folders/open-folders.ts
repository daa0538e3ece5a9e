import { join } from 'node:path';
import { ClientError, type WatchRule } from '@berth/client';
import type { Domain } from '@berth/contract';
import type { WatchedFolder } from '../../shared/folder.ts';
import type { Settings } from '../../shared/settings.ts';
import type { Accounts } from '../account/accounts.ts';
import { findClient } from '../account/credentials.ts';
import type { Emit } from '../backend.ts';
import type { Grants } from '../grants.ts';
import type { Native } from '../native.ts';
import { type JsonFileOptions, openJsonFile } from '../storage/json-file.ts';
import { createFolder, type Folder, type FolderSnapshot } from './folder.ts';
import { lacksDns } from './folder-state.ts';
import { createFolderHandlers, type FolderHandlers, type FolderHandlersOptions } from './handlers.ts';
import { createFolderNotifications } from './notifications.ts';
import { type FolderRecord, FolderRecords } from './record.ts';
import { readLive } from './versions.ts';

export interface FoldersOptions {
  native: Pick<Native, 'keychain' | 'showFolder' | 'notify' | 'isFocused' | 'showWindow'>;
  accounts: Pick<Accounts, 'session' | 'client' | 'onChange' | 'refused'>;
  grants: Grants;
  settings(): Settings;
  /** The folder of `folders.json`. */
  dataDir: string;
  /** The folder where the watch engine caches hashes and what it has published. */
  cacheDir: string;
  /** Overrides the timing of the watch engine. */
  watchRule?: Partial<WatchRule> | undefined;
  emit: Emit;
  /** Called when the file is damaged. */
  onDamaged?: JsonFileOptions<unknown>['onDamaged'];
  /** Checks an address and opens it in the browser. */
  openLink(url: string): void;
  nextDrop: FolderHandlersOptions['nextDrop'];
  /** Finds the folder of a publishing. @throws ClientError `refused` when it has no folder. */
  publishedFolder: FolderHandlersOptions['publishedFolder'];
}

/** The watched folders. */
export interface Folders {
  /** In the order they were added. */
  list(): WatchedFolder[];
  /** Scans all folders. Called when the window comes to the front, the machine wakes up, or the network is back. */
  onWake(): void;
  /** Reports the state of a domain that was just read. @param server The origin. */
  updateDomain(server: string, domain: Domain): void;
  /**
   * Reports that the user pointed a domain at another deployment, or deleted it. Pauses the folder that uses the domain, so that
   * its next build does not undo the change.
   *
   * @param domain The full name. @param deployment The deployment that the domain now shows; `null` if the domain was deleted.
   */
  addressChanged(server: string, domain: string, deployment: string | null): void;
  readonly handlers: FolderHandlers;
  /** Aborts all deploys. Live versions do not change. */
  close(): Promise<void>;
}

/**
 * Loads the watched folders and starts to watch those that are not paused.
 *
 * @throws Error when `folders.json` cannot be read. Source: design of the desktop app, §5, §8.
 */
export async function openFolders(options: FoldersOptions): Promise<Folders> {
  const { native, accounts, settings, dataDir, cacheDir, watchRule, emit, openLink } = options;
  const file = await openJsonFile<{ folders: FolderRecord[] }>({
    path: join(dataDir, 'folders.json'),
    schema: FolderRecords,
    initial: { folders: [] },
    onDamaged: options.onDamaged,
  });
  const folders = new Map<string, Folder>();
  const notifications = createFolderNotifications({ native, openLink, wanted: () => settings().notifications, emit });
  let isEmitScheduled = false;
  let isClosed = false;
  /** Set when nothing may be written any longer. If a command still waits for a server, its folder stays stored as paused. */
  let isReadOnly = false;

  const list = (): WatchedFolder[] => [...folders.values()].map((folder) => folder.show());

  /** Coalesces the changes of one tick into one event. */
  const emitSoon = (): void => {
    if (isEmitScheduled || isClosed) return;
    isEmitScheduled = true;
    setImmediate(() => {
      isEmitScheduled = false;
      if (!isClosed) emit('folders', list());
    });
  };

  /** See {@link Folders.addressChanged}. */
  const pauseForAddress = async (folder: Folder, deployment: string | null): Promise<void> => {
    await folder.exclusively(async () =>
      folder.change({ paused: 'address-changed', ...(deployment === null && { url: null, live: null }) }),
    );
    if (deployment !== null) await refreshLive(folder);
  };

  const save = async (): Promise<void> => {
    if (!isReadOnly) await file.change(() => ({ folders: [...folders.values()].map((folder) => folder.record()) }));
  };

  const changed = (before: FolderSnapshot, now: FolderSnapshot): void => {
    const folder = folders.get(now.record.id);
    if (!folder) return;
    // If this write fails, the next change writes everything. Commands that must know the outcome call `saved`.
    if (before.record !== now.record) save().catch(() => {});
    emitSoon();
    if (isClosed) return;
    notifications.folderChanged(before.folder, now.folder);
    if (now.folder.state.is === 'live' && before.folder.state.is !== 'live' && now.folder.live === null)
      void refreshLive(folder);
  };

  /** Reads which version a folder's address shows. That is unknown after the app was reinstalled or a deploy was aborted. */
  const refreshLive = async (folder: Folder): Promise<void> => {
    const { server, domain, live } = folder.record();
    const client = findClient(accounts, server);
    const found = client && (await readLive(client, domain).catch(() => null));
    if (!found || isClosed || folder.record().domain !== domain) return;
    // A deploy in the meantime is newer than the answer.
    if (folder.record().live !== live || folder.show().state.is === 'publishing') return;
    const isKnown = found.live?.deployment === folder.record().live?.deployment;
    folder.change({ url: found.domain.url, needsDns: lacksDns(found.domain), ...(!isKnown && { live: found.live }) });
  };

  const open = (record: FolderRecord): void => {
    const { id, server } = record;
    const folder = createFolder({
      record,
      keychain: native.keychain,
      cacheDir,
      watchRule,
      keep: () => settings().keepVersions,
      findClient: () => findClient(accounts, server),
      onRefused: () => accounts.refused(server),
      onChange: changed,
    });
    folders.set(id, folder);
  };

  const sync = (): void => {
    if (isClosed) return;
    const known = new Set(accounts.session().servers.map(({ origin }) => origin));
    for (const folder of folders.values()) {
      const { server, paused } = folder.record();
      if (!known.has(server) && paused === null) folder.change({ paused: 'asked' });
      folder.sync();
    }
    notifications.sessionChanged(accounts.session(), list());
  };

  for (const record of file.value().folders) open(record);
  accounts.onChange(sync);
  sync();

  return {
    list,
    onWake() {
      for (const folder of folders.values()) {
        folder.nudge('scan');
        if (folder.record().needsDns) void refreshLive(folder);
      }
    },
    updateDomain(server, domain) {
      for (const folder of folders.values()) {
        const { server: own, url } = folder.record();
        if (own === server && url === domain.url) folder.updateDomain(domain);
      }
    },
    addressChanged(server, domain, deployment) {
      for (const folder of folders.values()) {
        const { server: own, url, live } = folder.record();
        const isIts = own === server && url !== null && new URL(url).hostname === domain;
        if (isIts && (deployment === null || deployment !== live?.deployment)) void pauseForAddress(folder, deployment);
      }
    },
    handlers: createFolderHandlers({
      ...options,
      folders,
      refreshLive,
      saved: () =>
        save().catch((cause: unknown) => {
          throw new ClientError(
            'refused',
            'The list of watched folders cannot be saved. Check that the disk is not full.',
            {
              cause,
            },
          );
        }),
      add(record) {
        open(record);
        folders.get(record.id)!.sync();
        emitSoon();
      },
      remove(id) {
        folders.delete(id);
        emitSoon();
      },
    }),
    async close() {
      isClosed = true;
      await Promise.all([...folders.values()].map((folder) => folder.close()));
      const saved = save();
      isReadOnly = true;
      await saved.catch(() => {});
    },
  };
}
