import { randomBytes } from 'node:crypto';
import { type BerthClient, ClientError } from '@berth/client';
import type { CommandInput } from '../../shared/contract.ts';
import type { Accounts } from '../account/accounts.ts';
import { withSignedInClient, findClient } from '../account/credentials.ts';
import { approve } from '../approval/approve.ts';
import type { Handlers } from '../backend.ts';
import type { Grants } from '../grants.ts';
import { createSerialQueue } from '../serial-queue.ts';
import type { Native } from '../native.ts';
import type { NextDrop } from '../next-drop.ts';
import type { PublishedFolder } from '../publishing/open-publishings.ts';
import { readDomain } from '../sites/domain-name.ts';
import { checkDomain, checkLabels, checkPassword, checkPath } from './checks.ts';
import type { Folder } from './folder.ts';
import { type FolderRecord, passwordName } from './record.ts';
import { createRunningHandlers, type RunningHandlers } from './running-handlers.ts';
import { suggestName, validateName } from './suggest-name.ts';

/** The handlers of the commands about watched folders. */
export type FolderHandlers = RunningHandlers &
  Pick<Handlers, 'suggestName' | 'checkFolder' | 'watch' | 'changeFolder' | 'locateFolder' | 'removeFolder'>;

export interface FolderHandlersOptions {
  native: Pick<Native, 'keychain' | 'showFolder'>;
  accounts: Pick<Accounts, 'session' | 'client' | 'refused'>;
  grants: Grants;
  nextDrop: Pick<NextDrop, 'options' | 'clear'>;
  /** Finds the folder of a publishing. @throws ClientError `refused` when it has no folder. */
  publishedFolder(publishing: string): PublishedFolder;
  /** In the order they were added. */
  folders: ReadonlyMap<string, Folder>;
  /** Starts to watch a folder. */
  add(record: FolderRecord): void;
  remove(id: string): void;
  /** Reads from the server which version a folder's address shows. */
  refreshLive(folder: Folder): Promise<void>;
  /** Resolves when everything is stored. @throws ClientError when it cannot be. */
  saved(): Promise<void>;
}

type FolderSource = CommandInput<'watch'>['of'];

/** Creates the handlers of the commands about watched folders. A command with invalid input changes nothing. */
export function createFolderHandlers({
  native: { keychain, showFolder },
  accounts,
  grants,
  nextDrop,
  publishedFolder,
  folders,
  add,
  remove,
  refreshLive,
  saved,
}: FolderHandlersOptions): FolderHandlers {
  const find = (id: string): Folder => {
    const folder = folders.get(id);
    if (!folder) throw new ClientError('refused', 'This folder is no longer watched.');
    return folder;
  };

  const othersAt = (server: string, id?: string): FolderRecord[] =>
    recordsBut(id).filter((record) => record.server === server);

  const recordsBut = (id?: string): FolderRecord[] =>
    [...folders.values()].filter((folder) => folder.id !== id).map((folder) => folder.record());

  const pathOf = (of: FolderSource): string => {
    if ('publishing' in of) return publishedFolder(of.publishing).path;
    const { path, kind } = grants.peek(of.grant);
    if (kind !== 'file') return path;
    throw new ClientError('refused', 'Only a folder can be watched. Choose the folder that the file is in.');
  };

  /** Makes sure that a password is dropped only if the user decided so. @throws ClientError `refused`. */
  const checkDecided = (of: FolderSource, password: string | null | undefined): void => {
    if (password !== undefined) return;
    if ('publishing' in of ? publishedFolder(of.publishing).password : nextDrop.options().password !== undefined)
      throw new ClientError('refused', 'A password was set for this site. Enter it, or choose to publish without one.');
  };

  const keepPassword = (id: string, password: string): Promise<void> =>
    keychain.write(passwordName(id), password).catch((cause: unknown) => {
      throw new ClientError('refused', 'The system keychain refused to store the password.', { cause });
    });

  const removePassword = (id: string): Promise<void> =>
    keychain.remove(passwordName(id)).catch((cause: unknown) => {
      throw new ClientError('refused', 'The system keychain could not delete the password.', { cause });
    });

  /** Runs changes one after the other, so that each sees what the ones before it have added. */
  const serially = createSerialQueue();

  const askFor = <T>(folder: Folder, work: (client: BerthClient) => Promise<T>): Promise<T> =>
    withSignedInClient(accounts, work, folder.record().server);

  return {
    ...createRunningHandlers({ showFolder, accounts, find, askFor, refreshLive, saved }),
    async suggestName({ of, name }) {
      const { current } = accounts.session();
      const client = findClient(accounts, current);
      if (name !== undefined) {
        const read = readDomain(name);
        return { name: read, validation: await validateName(client, read) };
      }
      const taken = new Set(othersAt(current).map(({ domain }) => domain.split('.', 1)[0]));
      return suggestName(client, pathOf(of), (name) => taken.has(name));
    },
    async checkFolder({ of }) {
      return { question: (await approve(pathOf(of), grants)).question };
    },
    async watch({ of, sure, domain, labels, password }) {
      checkDecided(of, password);
      // Outside the queue, so that a slow drive delays only its own folder.
      const { path, question } = await approve(pathOf(of), grants, sure);
      if (question !== null) return { is: 'asking', question };
      return serially(async () => {
        await checkPath(path, recordsBut());
        const { current: server } = accounts.session();
        const record = await withSignedInClient(accounts, async (client): Promise<FolderRecord> => ({
          id: randomBytes(8).toString('hex'),
          path,
          server,
          domain: await checkDomain(client, domain, othersAt(server)),
          labels: checkLabels(labels),
          password: typeof password === 'string',
          paused: null,
          url: null,
          live: null,
          needsDns: false,
        }));
        if (typeof password === 'string') await keepPassword(record.id, checkPassword(password));
        if ('grant' in of) {
          grants.take(of.grant);
          nextDrop.clear();
        }
        add(record);
        await saved();
        return { is: 'watched', id: record.id };
      });
    },
    async changeFolder({ id, domain: typed, labels: given, password: entered }) {
      await serially(async () => {
        const folder = find(id);
        const { server, domain, paused } = folder.record();
        const named =
          typed === undefined
            ? domain
            : await askFor(folder, (client) => checkDomain(client, typed, othersAt(server, id)));
        const labels = given && checkLabels(given);
        if (typeof entered === 'string') await keepPassword(id, checkPassword(entered));
        // If the folder was removed meanwhile, its password must go too.
        if (typeof entered === 'string' && !folders.has(id)) await removePassword(id);
        find(id);
        await folder.exclusively(async () => {
          // Change the record last: a folder whose record has a password is never published without it.
          if (entered === null) await removePassword(id);
          folder.change({
            ...(labels && { labels }),
            ...(entered !== undefined && { password: entered !== null }),
            ...(named !== domain && {
              domain: named,
              url: null,
              live: null,
              needsDns: false,
              paused: paused && 'asked',
            }),
          });
        });
        await saved();
      });
    },
    async locateFolder({ id, grant, sure }) {
      find(id);
      const { path, question } = await approve(pathOf({ grant }), grants, sure);
      if (question !== null) return { is: 'asking', question };
      return serially(async () => {
        const folder = find(id);
        await checkPath(path, recordsBut(id));
        grants.take(grant);
        await folder.exclusively(async () => folder.change({ path }));
        await saved();
        return { is: 'located' };
      });
    },
    async removeFolder({ id }) {
      const folder = find(id);
      if (folder.record().password) await removePassword(id);
      remove(id);
      await folder.close();
      await saved();
    },
  };
}
