import { join } from 'node:path';
import type { FolderDisk, WatchRule } from '@berth/client';
import type { Domain } from '@berth/contract';
import { z } from 'zod';
import type { WatchedFolder } from '../../shared/folder.ts';
import type { Settings } from '../../shared/settings.ts';
import type { Emit } from '../backend.ts';
import type { Notifications } from '../notifications.ts';
import { orRefuse } from '../problem.ts';
import type { Builds } from '../projects/builds.ts';
import { type JsonFile, openJsonFile, type StoreOptions } from '../storage/json-file.ts';
import { Folder, type FolderSnapshot } from './folder.ts';
import { FolderRecord, lacksDns } from './folder-state.ts';
import { FolderHandlers, type FolderHandlersOptions } from './handlers.ts';
import { readLive } from './versions.ts';

interface FoldersOptions
  extends StoreOptions, Omit<FolderHandlersOptions, 'folders' | 'add' | 'remove' | 'refreshLive' | 'saved'> {
  settings(): Settings;
  /** The folder where the watch engine caches hashes and what it has published. */
  cacheDir: string;
  /** Reads the folders. Default: the calling thread does. */
  disk?: FolderDisk | undefined;
  /** Overrides the timing of the watch engine. */
  watchRule?: Partial<WatchRule> | undefined;
  builds: Builds;
  emit: Emit;
  notifications: Pick<Notifications, 'folderChanged' | 'sessionChanged'>;
}

/** The schema of `folders.json`. The folders are in the order in which the user added them. */
const FolderRecords = z.object({ folders: z.array(FolderRecord) });
type FolderRecords = z.infer<typeof FolderRecords>;

/**
 * Loads the watched folders and starts to watch those that are not paused.
 *
 * @throws Error when `folders.json` cannot be read. Source: desktop §5, §8.
 */
export async function openFolders(options: FoldersOptions): Promise<Folders> {
  const file = await openJsonFile<FolderRecords>({
    path: join(options.dataDir, 'folders.json'),
    schema: FolderRecords,
    initialValue: { folders: [] },
    onDamaged: options.onDamaged,
  });
  const folders = new Folders(options, file);
  folders.start();
  return folders;
}

/** The watched folders. They are watched after {@link Folders.start}. */
export class Folders {
  readonly handlers: FolderHandlers;
  readonly #options: FoldersOptions;
  readonly #file: JsonFile<FolderRecords>;
  readonly #folders = new Map<string, Folder>();
  #isEmitScheduled = false;
  #isClosed = false;
  /** Set when nothing may be written any longer. If a command still waits for a server, its folder stays stored as paused. */
  #isReadOnly = false;

  constructor(options: FoldersOptions, file: JsonFile<FolderRecords>) {
    this.#options = options;
    this.#file = file;
    this.handlers = new FolderHandlers({
      ...options,
      folders: this.#folders,
      refreshLive: (folder) => this.#refreshLive(folder),
      saved: () =>
        orRefuse(this.#save(), 'The list of watched folders cannot be saved. Check that the disk is not full.'),
      add: (record) => {
        this.#open(record).sync();
        this.#emitSoon();
      },
      remove: (id) => {
        this.#folders.delete(id);
        this.#emitSoon();
      },
    });
  }

  start(): void {
    for (const record of this.#file.value().folders) this.#open(record);
    this.#options.accounts.onChange(() => this.#syncAll());
    this.#syncAll();
  }

  /** Lists the folders in the order in which the user added them. */
  list(): WatchedFolder[] {
    return [...this.#folders.values()].map((folder) => folder.show());
  }

  /** Scans all folders. Called when the window comes to the front, the machine wakes up, or the network is back. */
  onWake(): void {
    for (const folder of this.#folders.values()) {
      folder.nudge('scan');
      if (folder.record().needsDns) void this.#refreshLive(folder);
    }
  }

  /** Reports the state of a domain that was just read. @param origin The origin of the domain's server. */
  updateDomain(origin: string, domain: Domain): void {
    for (const folder of this.#folders.values()) {
      const { server, url } = folder.record();
      if (server === origin && url === domain.url) folder.updateDomain(domain);
    }
  }

  /**
   * Reports that the user pointed a domain at another deployment, or deleted the domain. Pauses the folder that uses the domain,
   * so that the folder's next build does not undo the change.
   *
   * @param domain The full name. @param deployment The deployment that the domain now shows; `null` if the domain was deleted.
   */
  addressChanged(origin: string, domain: string, deployment: string | null): void {
    for (const folder of this.#folders.values()) {
      const { server, url, live } = folder.record();
      const usesDomain = server === origin && url !== null && new URL(url).hostname === domain;
      if (usesDomain && (deployment === null || deployment !== live?.deployment))
        void this.#pauseForAddress(folder, deployment);
    }
  }

  /** Aborts all deploys. Live versions do not change. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#folders.values()].map((folder) => folder.close()));
    const lastSave = this.#save();
    this.#isReadOnly = true;
    await lastSave.catch(() => {});
  }

  async #save(): Promise<void> {
    if (this.#isReadOnly) return;
    await this.#file.change(() => ({ folders: [...this.#folders.values()].map((folder) => folder.record()) }));
  }

  /** Coalesces the changes of one tick into one event. */
  #emitSoon(): void {
    if (this.#isEmitScheduled || this.#isClosed) return;
    this.#isEmitScheduled = true;
    setImmediate(() => {
      this.#isEmitScheduled = false;
      if (!this.#isClosed) this.#options.emit('folders', this.list());
    });
  }

  #onFolderChange(before: FolderSnapshot, now: FolderSnapshot): void {
    const folder = this.#folders.get(now.record.id);
    if (!folder) return;
    // If this write fails, the next change writes everything. Commands that must know the outcome call `saved`.
    if (before.record !== now.record) this.#save().catch(() => {});
    this.#emitSoon();
    if (this.#isClosed) return;
    this.#options.notifications.folderChanged(before.folder, now.folder);
    if (now.folder.state.is === 'live' && before.folder.state.is !== 'live' && now.folder.live === null)
      void this.#refreshLive(folder);
  }

  /** Reads which version a folder's address shows. The version is unknown after a reinstallation or an aborted deploy. */
  async #refreshLive(folder: Folder): Promise<void> {
    const { server, domain, live } = folder.record();
    const client = this.#options.accounts.signedInClient(server);
    const liveVersion = client && (await readLive(client, domain).catch(() => null));
    if (!liveVersion || this.#isClosed || folder.record().domain !== domain) return;
    // If a deploy has started or finished in the meantime, it is newer than the response.
    if (folder.record().live !== live || folder.show().state.is === 'publishing') return;
    const isKnown = liveVersion.live?.deployment === folder.record().live?.deployment;
    folder.change({
      url: liveVersion.domain.url,
      needsDns: lacksDns(liveVersion.domain),
      ...(!isKnown && { live: liveVersion.live }),
    });
  }

  #open(record: FolderRecord): Folder {
    const { native, accounts, settings, cacheDir, disk, builds, watchRule } = this.#options;
    const { id, server } = record;
    const folder = new Folder({
      record,
      keychain: native.keychain,
      cacheDir,
      disk,
      builds,
      watchRule,
      keep: () => settings().keepVersions,
      findClient: () => accounts.signedInClient(server),
      lockedError: () => accounts.lockedError(server),
      onFailure: (error) => accounts.reportFailure(server, error),
      onChange: (before, now) => this.#onFolderChange(before, now),
    });
    this.#folders.set(id, folder);
    return folder;
  }

  /** Starts and stops watches to match the session. Pauses the folders of removed servers. */
  #syncAll(): void {
    if (this.#isClosed) return;
    const session = this.#options.accounts.session();
    const origins = new Set(session.servers.map(({ origin }) => origin));
    for (const folder of this.#folders.values()) {
      const { server, paused } = folder.record();
      if (!origins.has(server) && paused === null) folder.change({ paused: 'asked' });
      folder.sync();
    }
    this.#options.notifications.sessionChanged(session, this.list());
  }

  async #pauseForAddress(folder: Folder, deployment: string | null): Promise<void> {
    await folder.exclusively(async () =>
      folder.change({ paused: 'address-changed', ...(deployment === null && { url: null, live: null }) }),
    );
    if (deployment !== null) await this.#refreshLive(folder);
  }
}
