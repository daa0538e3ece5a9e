import { type BerthClient, ClientError } from '@berth/client';
import type { Deployment } from '@berth/contract';
import type { Version } from '../../shared/folder.ts';
import type { Accounts } from '../account/accounts.ts';
import type { Handlers } from '../backend.ts';
import type { Native } from '../native.ts';
import { lacksDns } from './folder-state.ts';
import type { Folder } from './folder.ts';
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
export function createRunningHandlers({
  showFolder,
  accounts,
  find,
  askFor,
  refreshLive,
  saved,
}: RunningHandlersOptions): RunningHandlers {
  /** Stops the watch and pauses the folder before switching the address, so that no build can replace the chosen version. */
  const switchTo = (folder: Folder, choose: (versions: Versions) => Deployment): Promise<Version> =>
    folder.exclusively(async () => {
      const { paused } = folder.record();
      folder.change({ paused: 'earlier-version' });
      try {
        await saved();
        return await askFor(folder, async (client) => {
          const found = await readVersions(client, folder.record());
          const chosen = choose(found);
          if (folder.record().password && !chosen.password)
            throw new ClientError(
              'refused',
              'That version has no password, so anyone could open it. Choose another version.',
            );
          const domain = await showVersion(client, folder.record(), chosen);
          const isNewest = chosen === found.versions[0];
          folder.change({
            url: domain.url,
            live: toLive(chosen),
            needsDns: lacksDns(domain),
            ...(isNewest && { paused: paused && ('asked' as const) }),
          });
          return toVersion(chosen, true);
        });
      } catch (error) {
        folder.change({ paused });
        throw error;
      }
    });

  return {
    async pauseFolder({ id }) {
      find(id).pause();
      await saved();
    },
    async resumeFolder({ id }) {
      const folder = find(id);
      const { server } = folder.record();
      if (!accounts.session().servers.some(({ origin }) => origin === server))
        throw new ClientError('refused', `${server} is no longer one of your servers. Add it first.`);
      folder.resume();
      await saved();
    },
    async publishFolder({ id }) {
      const folder = find(id);
      await askFor(folder, async () => {});
      if (folder.record().paused === null) folder.nudge('publish');
      else folder.resume();
      await saved();
    },
    async cancelFolder({ id }) {
      const folder = find(id);
      await folder.exclusively(async () => folder.change({ paused: folder.record().paused ?? 'asked' }));
      await saved();
      void refreshLive(folder);
    },
    async undoFolder({ id }) {
      return switchTo(find(id), earlierVersion);
    },
    async listVersions({ id }) {
      const folder = find(id);
      return { versions: toVersions(await askFor(folder, (client) => readVersions(client, folder.record()))) };
    },
    async makeLive({ id, deployment }) {
      return switchTo(find(id), (versions) => versionOf(versions, deployment));
    },
    async showFolder({ id }) {
      showFolder(find(id).record().path);
    },
  };
}
