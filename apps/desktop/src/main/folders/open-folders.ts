import { join } from 'node:path';
import { ClientError, type WatchRule } from '@berth/client';
import type { Domain } from '@berth/contract';
import type { WatchedFolder } from '../../shared/folder.ts';
import type { Settings } from '../../shared/settings.ts';
import type { Accounts } from '../account/accounts.ts';
import { findClient } from '../account/credentials.ts';
import type { Tell } from '../backend.ts';
import type { Grants } from '../grants.ts';
import type { Native } from '../native.ts';
import { type JsonFileOptions, openJsonFile } from '../storage/json-file.ts';
import { createFolder, type Folder, type Shown } from './folder.ts';
import { lacksDns } from './folder-state.ts';
import { createFolderHandlers, type FolderHandlers, type FolderHandlersOptions } from './handlers.ts';
import { createNotes } from './notes.ts';
import { type FolderRecord, FolderRecords } from './record.ts';
import { readLive } from './versions.ts';

export interface FoldersOptions {
  native: Pick<Native, 'keychain' | 'showFolder' | 'notify' | 'isLookedAt' | 'showWindow'>;
  accounts: Pick<Accounts, 'session' | 'client' | 'onChange' | 'refused'>;
  grants: Grants;
  settings(): Settings;
  /** Where `folders.json` is kept. */
  dataDir: string;
  /** Where the engine remembers hashes, and what was published. */
  cacheDir: string;
  /** Other times than the engine's. */
  watchRule?: Partial<WatchRule> | undefined;
  tell: Tell;
  /** Hears when the file is damaged. */
  onSetAside?: JsonFileOptions<unknown>['onSetAside'];
  /** Opens a site in the browser, once its address was checked. */
  openLink(url: string): void;
  nextDrop: FolderHandlersOptions['nextDrop'];
  /** The folder of a publishing. @throws ClientError `refused` when there is none. */
  publishedFolder: FolderHandlersOptions['publishedFolder'];
}

/** The folders that are watched. */
export interface Folders {
  /** In the order in which they were added. */
  list(): WatchedFolder[];
  /** Looks at all of them: the window came to the front, the machine woke up, or there is a network again. */
  awake(): void;
  /** Somebody asked how a domain is. @param server The origin. */
  hearDomain(server: string, domain: Domain): void;
  /**
   * Somebody made a domain show something else, or deleted it. The folder that it showed is paused, so that its next build does
   * not undo that.
   *
   * @param domain Its whole name. @param deployment What it shows; `null` when it is gone.
   */
  hearAddressChange(server: string, domain: string, deployment: string | null): void;
  readonly handlers: FolderHandlers;
  /** Ends what is under way; what was live stays. */
  close(): Promise<void>;
}

/**
 * Opens the folders that are watched, and goes on with those that are not paused.
 *
 * @throws Error when their file cannot be read. Source: design of the desktop app, §5, §8.
 */
export async function openFolders(options: FoldersOptions): Promise<Folders> {
  const { native, accounts, settings, dataDir, cacheDir, watchRule, tell, openLink } = options;
  const file = await openJsonFile<{ folders: FolderRecord[] }>({
    path: join(dataDir, 'folders.json'),
    schema: FolderRecords,
    initial: { folders: [] },
    onSetAside: options.onSetAside,
  });
  const folders = new Map<string, Folder>();
  const notes = createNotes({ native, openLink, wanted: () => settings().notifications, tell });
  let isTelling = false;
  let isClosed = false;
  /** Nothing is written any more. A command that still waits for a server leaves its folder paused, as it was written down before. */
  let isOver = false;

  const list = (): WatchedFolder[] => [...folders.values()].map((folder) => folder.show());

  /** However much changes at once is told once. */
  const tellSoon = (): void => {
    if (isTelling || isClosed) return;
    isTelling = true;
    setImmediate(() => {
      isTelling = false;
      if (!isClosed) tell('folders', list());
    });
  };

  /** As {@link Folders.hearAddressChange}. */
  const leaveAddress = async (folder: Folder, deployment: string | null): Promise<void> => {
    await folder.still(async () =>
      folder.change({ paused: 'address-changed', ...(deployment === null && { url: null, live: null }) }),
    );
    if (deployment !== null) await learn(folder);
  };

  const save = async (): Promise<void> => {
    if (!isOver) await file.change(() => ({ folders: [...folders.values()].map((folder) => folder.record()) }));
  };

  const changed = (before: Shown, now: Shown): void => {
    const folder = folders.get(now.record.id);
    if (!folder) return;
    // What could not be written is written with the next change; a command that wants it written waits for it itself.
    if (before.record !== now.record) save().catch(() => {});
    tellSoon();
    if (isClosed) return;
    notes.folder(before.folder, now.folder);
    if (now.folder.state.is === 'live' && before.folder.state.is !== 'live' && now.folder.live === null)
      void learn(folder);
  };

  /** Asks what the address of a folder shows. It is not known in an app that was set up anew, or after a deploy was given up. */
  const learn = async (folder: Folder): Promise<void> => {
    const { server, domain, live } = folder.record();
    const client = findClient(accounts, server);
    const found = client && (await readLive(client, domain).catch(() => null));
    if (!found || isClosed || folder.record().domain !== domain) return;
    // What was published meanwhile is newer than the answer.
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

  const turn = (): void => {
    if (isClosed) return;
    const known = new Set(accounts.session().servers.map(({ origin }) => origin));
    for (const folder of folders.values()) {
      const { server, paused } = folder.record();
      if (!known.has(server) && paused === null) folder.change({ paused: 'asked' });
      folder.turn();
    }
    notes.session(accounts.session(), list());
  };

  for (const record of file.value().folders) open(record);
  accounts.onChange(turn);
  turn();

  return {
    list,
    awake() {
      for (const folder of folders.values()) {
        folder.nudge('look');
        if (folder.record().needsDns) void learn(folder);
      }
    },
    hearDomain(server, domain) {
      for (const folder of folders.values()) {
        const { server: own, url } = folder.record();
        if (own === server && url === domain.url) folder.hearDomain(domain);
      }
    },
    hearAddressChange(server, domain, deployment) {
      for (const folder of folders.values()) {
        const { server: own, url, live } = folder.record();
        const isIts = own === server && url !== null && new URL(url).hostname === domain;
        if (isIts && (deployment === null || deployment !== live?.deployment)) void leaveAddress(folder, deployment);
      }
    },
    handlers: createFolderHandlers({
      ...options,
      folders,
      learn,
      saved: () =>
        save().catch((cause: unknown) => {
          throw new ClientError('refused', 'The list of watched folders cannot be written: is the disk full?', {
            cause,
          });
        }),
      add(record) {
        open(record);
        folders.get(record.id)!.turn();
        tellSoon();
      },
      remove(id) {
        folders.delete(id);
        tellSoon();
      },
    }),
    async close() {
      isClosed = true;
      await Promise.all([...folders.values()].map((folder) => folder.close()));
      const saved = save();
      isOver = true;
      await saved.catch(() => {});
    },
  };
}
