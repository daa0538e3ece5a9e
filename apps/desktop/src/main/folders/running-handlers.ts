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

/** The commands about a folder that is watched already, and stays as it was set up. */
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
  /** @throws ClientError `refused` when it is not watched any more. */
  find(id: string): Folder;
  /** Asks the server of a folder. @throws ClientError. */
  askFor<T>(folder: Folder, work: (client: BerthClient) => Promise<T>): Promise<T>;
  /** Asks the server what a folder's address shows. */
  learn(folder: Folder): Promise<void>;
  /** Resolves when everything is written down. */
  saved(): Promise<void>;
}

/** Answers the commands that pause a folder, let it go on, or show another version of it. */
export function createRunningHandlers({
  showFolder,
  accounts,
  find,
  askFor,
  learn,
  saved,
}: RunningHandlersOptions): RunningHandlers {
  /** The watch stands still meanwhile, and is paused before the address is switched, so that no build can replace it. */
  const switchTo = (folder: Folder, choose: (versions: Versions) => Deployment): Promise<Version> =>
    folder.still(async () => {
      const { paused } = folder.record();
      folder.change({ paused: 'earlier-version' });
      try {
        await saved();
        return await askFor(folder, async (client) => {
          const found = await readVersions(client, folder.record());
          const chosen = choose(found);
          if (folder.record().password && !chosen.password)
            throw new ClientError('refused', 'That version has no password: it would be open to everybody.');
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
        throw new ClientError('refused', `${server} is not one of your servers any more. Add it first.`);
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
      await folder.still(async () => folder.change({ paused: folder.record().paused ?? 'asked' }));
      await saved();
      void learn(folder);
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
