import { type BerthClient, ClientError } from '@berth/client';
import type { Deployment } from '@berth/contract';
import type { Version } from '../../shared/folder.ts';
import type { Accounts } from '../account/accounts.ts';
import type { Handlers } from '../backend.ts';
import type { Native } from '../native.ts';
import { lacksDns } from './folder-state.ts';
import type { Folder } from './folder.ts';
import type { FolderRecord } from './record.ts';
import {
  earlierVersion,
  readVersions,
  showVersion,
  toLive,
  toVersion,
  toVersions,
  type Versions,
  versionOf,
} from './versions.ts';

/** The handlers of commands that do not change the configuration of a watched folder. */
export type RunningHandlers = Pick<
  Handlers,
  | 'pauseFolder'
  | 'resumeFolder'
  | 'publishFolder'
  | 'cancelFolder'
  | 'undoFolder'
  | 'listVersions'
  | 'makeLive'
  | 'showFolder'
>;

export interface RunningHandlersOptions extends Pick<Native, 'showFolder'> {
  accounts: Pick<Accounts, 'session'>;
  /** @throws ClientError `refused` when the folder is no longer watched. */
  find(id: string): Folder;
  /** Runs `work` with the client of a folder's server. @throws ClientError. */
  askFor<T>(folder: Folder, work: (client: BerthClient) => Promise<T>): Promise<T>;
  /** Reads from the server which version a folder's address shows. */
  refreshLive(folder: Folder): Promise<void>;
  /** Resolves when everything is stored. */
  saved(): Promise<void>;
}

/** Creates the handlers that pause or resume a folder, publish it now, or make another version live. */
export function createRunningHandlers(options: RunningHandlersOptions): RunningHandlers {
  const commands = new RunningCommands(options);
  return {
    pauseFolder: (input) => commands.pauseFolder(input),
    resumeFolder: (input) => commands.resumeFolder(input),
    publishFolder: (input) => commands.publishFolder(input),
    cancelFolder: (input) => commands.cancelFolder(input),
    undoFolder: (input) => commands.undoFolder(input),
    listVersions: (input) => commands.listVersions(input),
    makeLive: (input) => commands.makeLive(input),
    showFolder: (input) => commands.showFolder(input),
  };
}

type Input<C extends keyof RunningHandlers> = Parameters<RunningHandlers[C]>[0];
type Output<C extends keyof RunningHandlers> = ReturnType<RunningHandlers[C]>;

class RunningCommands {
  readonly #options: RunningHandlersOptions;

  constructor(options: RunningHandlersOptions) {
    this.#options = options;
  }

  async pauseFolder({ id }: Input<'pauseFolder'>): Output<'pauseFolder'> {
    const { find, saved } = this.#options;
    find(id).pause();
    await saved();
  }

  async resumeFolder({ id }: Input<'resumeFolder'>): Output<'resumeFolder'> {
    const { accounts, find, saved } = this.#options;
    const folder = find(id);
    const { server } = folder.record();
    if (!accounts.session().servers.some(({ origin }) => origin === server))
      throw new ClientError('refused', `${server} is no longer one of your servers. Add it first.`);
    folder.resume();
    await saved();
  }

  async publishFolder({ id }: Input<'publishFolder'>): Output<'publishFolder'> {
    const { find, askFor, saved } = this.#options;
    const folder = find(id);
    await askFor(folder, async () => {});
    if (folder.record().paused === null) folder.nudge('publish');
    else folder.resume();
    await saved();
  }

  async cancelFolder({ id }: Input<'cancelFolder'>): Output<'cancelFolder'> {
    const { find, refreshLive, saved } = this.#options;
    const folder = find(id);
    await folder.exclusively(async () => folder.change({ paused: folder.record().paused ?? 'asked' }));
    await saved();
    void refreshLive(folder);
  }

  async undoFolder({ id }: Input<'undoFolder'>): Output<'undoFolder'> {
    const { find } = this.#options;
    return this.#switchTo(find(id), earlierVersion);
  }

  async listVersions({ id }: Input<'listVersions'>): Output<'listVersions'> {
    const { find, askFor } = this.#options;
    const folder = find(id);
    return { versions: toVersions(await askFor(folder, (client) => readVersions(client, folder.record()))) };
  }

  async makeLive({ id, deployment }: Input<'makeLive'>): Output<'makeLive'> {
    const { find } = this.#options;
    return this.#switchTo(find(id), (versions) => versionOf(versions, deployment));
  }

  async showFolder({ id }: Input<'showFolder'>): Output<'showFolder'> {
    const { find } = this.#options;
    this.#options.showFolder(find(id).record().path);
  }

  /** Stops the watch and pauses the folder before switching the address, so that no build can replace the chosen version. */
  #switchTo(folder: Folder, choose: (versions: Versions) => Deployment): Promise<Version> {
    const { askFor, saved } = this.#options;
    return folder.exclusively(async () => {
      const { paused } = folder.record();
      folder.change({ paused: 'earlier-version' });
      try {
        await saved();
        return await askFor(folder, (client) => makeVersionLive(client, folder, choose, paused));
      } catch (error) {
        folder.change({ paused });
        throw error;
      }
    });
  }
}

/** @param paused Why the folder was paused before. It stays so if the newest version becomes live. */
async function makeVersionLive(
  client: BerthClient,
  folder: Folder,
  choose: (versions: Versions) => Deployment,
  paused: FolderRecord['paused'],
): Promise<Version> {
  const found = await readVersions(client, folder.record());
  const chosen = choose(found);
  if (folder.record().password && !chosen.password)
    throw new ClientError('refused', 'That version has no password, so anyone could open it. Choose another version.');
  const domain = await showVersion(client, folder.record(), chosen);
  const isNewest = chosen === found.versions[0];
  folder.change({
    url: domain.url,
    live: toLive(chosen),
    needsDns: lacksDns(domain),
    ...(isNewest && { paused: paused && ('asked' as const) }),
  });
  return toVersion(chosen, true);
}
