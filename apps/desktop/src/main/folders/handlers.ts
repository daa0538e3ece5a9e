import { randomBytes } from 'node:crypto';
import { join, relative } from 'node:path';
import { type BerthClient, ClientError } from '@berth/client';
import type { Deployment } from '@berth/contract';
import pLimit from 'p-limit';
import type { CommandInput } from '../../shared/contract.ts';
import type { Version } from '../../shared/folder.ts';
import type { Build } from '../../shared/publishing.ts';
import type { Accounts } from '../account/accounts.ts';
import { ApprovedPath, approve } from '../approval/approve.ts';
import type { Handlers } from '../backend.ts';
import type { Grants } from '../grants.ts';
import type { Native } from '../native.ts';
import type { NextDrop } from '../next-drop.ts';
import { orRefuse } from '../problem.ts';
import type { Builds } from '../projects/builds.ts';
import { findBuild } from '../projects/find-build.ts';
import { readDomain } from '../sites/domain-name.ts';
import { checkDomain, checkLabels, checkPassword, checkPath } from './checks.ts';
import type { Folder } from './folder.ts';
import { type FolderRecord, passwordName } from './folder-state.ts';
import { suggestName, validateName } from './suggest-name.ts';
import { earlierVersion, makeVersionLive, readVersions, toVersions, type Versions, versionOf } from './versions.ts';

export interface PublishedFolder {
  path: string;
  /** True if the folder's site has a password. */
  password: boolean;
}

export interface FolderHandlersOptions {
  native: Pick<Native, 'keychain' | 'showFolder'>;
  accounts: Accounts;
  grants: Grants;
  nextDrop: Pick<NextDrop, 'options' | 'clear'>;
  builds: Pick<Builds, 'approve'>;
  /** Finds the folder of a publish job. @throws ClientError `refused` when files were published instead. */
  publishedFolder(publishing: string): PublishedFolder;
  /** The watched folders by id, in the order in which the user added them. */
  folders: ReadonlyMap<string, Folder>;
  add(record: FolderRecord): void;
  remove(id: string): void;
  /** Reads from the server which version a folder's address shows. */
  refreshLive(folder: Folder): Promise<void>;
  /** Resolves when all changes are stored. @throws ClientError when they cannot be stored. */
  saved(): Promise<void>;
}

type FolderSource = CommandInput<'watch'>['of'];

/** The handlers of the commands about watched folders. A command with invalid input changes nothing. */
export class FolderHandlers implements Partial<Handlers> {
  readonly #options: FolderHandlersOptions;
  /** Runs changes one after the other, so that each change sees the folders that earlier changes have added. */
  readonly #serially = pLimit(1);

  constructor(options: FolderHandlersOptions) {
    this.#options = options;
  }

  readonly suggestName: Handlers['suggestName'] = async ({ of, name }) => {
    const { accounts } = this.#options;
    const { current } = accounts.session();
    const client = accounts.signedInClient(current);
    if (name !== undefined) {
      const domain = readDomain(name);
      return { name: domain, validation: await validateName(client, domain) };
    }
    const usedLabels = new Set(this.#recordsOn(current).map(({ domain }) => domain.split('.', 1)[0]));
    return suggestName(client, this.#pathOf(of), (label) => usedLabels.has(label));
  };

  readonly checkFolder: Handlers['checkFolder'] = async ({ of }) => ({
    question: (await approve(this.#pathOf(of), this.#options.grants)).question,
  });

  readonly watch: Handlers['watch'] = async (input) => {
    const { of, sure, password } = input;
    if (password === undefined && this.#hadPassword(of))
      throw new ClientError('refused', 'A password was set for this site. Enter it, or choose to publish without one.');
    // Runs outside the queue, so that a slow drive delays only its own folder.
    const { path, question } = await approve(this.#pathOf(of), this.#options.grants, sure);
    if (question !== null) return { is: 'asking', question };
    const build = input.build === undefined ? null : await findApprovedBuild(path, input.build);
    return { is: 'watched', id: await this.#serially(() => this.#addFolder(path, build, input)) };
  };

  readonly changeFolder: Handlers['changeFolder'] = async ({ id, domain: typed, labels: given, password }) => {
    await this.#serially(async () => {
      const folder = this.#find(id);
      const { server } = folder.record();
      const domain =
        typed === undefined
          ? undefined
          : await this.#withClient(folder, (client) => checkDomain(client, typed, this.#recordsOn(server, id)));
      const labels = given && checkLabels(given);
      if (typeof password === 'string') await this.#keepPassword(id, checkPassword(password));
      // If the folder was removed meanwhile, its password must be deleted too.
      if (typeof password === 'string' && !this.#options.folders.has(id)) await this.#removePassword(id);
      this.#find(id);
      const { domain: oldDomain, paused } = folder.record();
      const renamedRecord = { domain, url: null, live: null, needsDns: false, paused: paused && ('asked' as const) };
      // The record changes last: a folder whose record has a password is never published without it.
      await folder.exclusively(async () => {
        if (password === null) await this.#removePassword(id);
        folder.change({
          ...(labels && { labels }),
          ...(password !== undefined && { password: password !== null }),
          ...(domain !== undefined && domain !== oldDomain && renamedRecord),
        });
      });
      await this.#options.saved();
    });
  };

  readonly locateFolder: Handlers['locateFolder'] = async ({ id, grant, sure }) => {
    const { grants, saved } = this.#options;
    this.#find(id);
    const { path, question } = await approve(this.#pathOf({ grant }), grants, sure);
    if (question !== null) return { is: 'asking', question };
    return this.#serially(async () => {
      const folder = this.#find(id);
      await checkPath(path, movedTo(path, folder.record()).path!, this.#recordsExcept(id));
      grants.take(grant);
      await folder.exclusively(async () => folder.change(movedTo(path, folder.record())));
      await saved();
      return { is: 'located' };
    });
  };

  readonly removeFolder: Handlers['removeFolder'] = async ({ id }) => {
    const { remove, saved } = this.#options;
    const folder = this.#find(id);
    if (folder.record().password) await this.#removePassword(id);
    remove(id);
    await folder.close();
    await saved();
  };

  readonly pauseFolder: Handlers['pauseFolder'] = async ({ id }) => {
    this.#find(id).pause();
    await this.#options.saved();
  };

  readonly resumeFolder: Handlers['resumeFolder'] = async ({ id }) => {
    const { accounts, saved } = this.#options;
    const folder = this.#find(id);
    const { server } = folder.record();
    if (!accounts.session().servers.some(({ origin }) => origin === server))
      throw new ClientError('refused', `${server} is no longer one of your servers. Add it first.`);
    folder.resume();
    await saved();
  };

  readonly publishFolder: Handlers['publishFolder'] = async ({ id }) => {
    const folder = this.#find(id);
    // Throws if the user is signed out.
    await this.#withClient(folder, async () => {});
    if (folder.record().paused === null) folder.nudge('publish');
    else folder.resume();
    await this.#options.saved();
  };

  readonly cancelFolder: Handlers['cancelFolder'] = async ({ id }) => {
    const { refreshLive, saved } = this.#options;
    const folder = this.#find(id);
    await folder.exclusively(async () => folder.change({ paused: folder.record().paused ?? 'asked' }));
    await saved();
    void refreshLive(folder);
  };

  readonly undoFolder: Handlers['undoFolder'] = async ({ id }) => this.#switchTo(this.#find(id), earlierVersion);

  readonly listVersions: Handlers['listVersions'] = async ({ id }) => {
    const folder = this.#find(id);
    return { versions: toVersions(await this.#withClient(folder, (client) => readVersions(client, folder.record()))) };
  };

  readonly makeLive: Handlers['makeLive'] = async ({ id, deployment }) =>
    this.#switchTo(this.#find(id), (versions) => versionOf(versions, deployment));

  readonly showFolder: Handlers['showFolder'] = async ({ id }) =>
    void this.#options.native.showFolder(this.#find(id).show().path);

  #find(id: string): Folder {
    const folder = this.#options.folders.get(id);
    if (!folder) throw new ClientError('refused', 'This folder is no longer watched.');
    return folder;
  }

  #withClient<T>(folder: Folder, work: (client: BerthClient) => Promise<T>): Promise<T> {
    return this.#options.accounts.withClient(work, folder.record().server);
  }

  #recordsExcept(id?: string): FolderRecord[] {
    return [...this.#options.folders.values()].filter((folder) => folder.id !== id).map((folder) => folder.record());
  }

  #recordsOn(server: string, exceptId?: string): FolderRecord[] {
    return this.#recordsExcept(exceptId).filter((record) => record.server === server);
  }

  #pathOf(of: FolderSource): string {
    const { grants, publishedFolder } = this.#options;
    if ('publishing' in of) return publishedFolder(of.publishing).path;
    const { path, kind } = grants.peek(of.grant);
    if (kind !== 'file') return path;
    throw new ClientError('refused', 'Only a folder can be watched. Choose the folder that the file is in.');
  }

  #hadPassword(of: FolderSource): boolean {
    const { nextDrop, publishedFolder } = this.#options;
    return 'publishing' in of ? publishedFolder(of.publishing).password : nextDrop.options().password !== undefined;
  }

  #keepPassword(id: string, password: string): Promise<void> {
    const passwordWrite = this.#options.native.keychain.write(passwordName(id), password);
    return orRefuse(passwordWrite, 'The system keychain refused to store the password.');
  }

  #removePassword(id: string): Promise<void> {
    const passwordRemoval = this.#options.native.keychain.remove(passwordName(id));
    return orRefuse(passwordRemoval, 'The system keychain could not delete the password.');
  }

  async #addFolder(root: ApprovedPath, build: Build | null, input: CommandInput<'watch'>): Promise<string> {
    const { accounts, grants, nextDrop, builds, add, saved } = this.#options;
    const { of, domain, labels, password } = input;
    const path = build === null ? root : ApprovedPath.parse(join(root, build.folder));
    await checkPath(root, path, this.#recordsExcept());
    const { current: server } = accounts.session();
    const record = await accounts.withClient(async (client): Promise<FolderRecord> => ({
      id: randomBytes(8).toString('hex'),
      path,
      build: build && { root, command: build.command },
      server,
      domain: await checkDomain(client, domain, this.#recordsOn(server)),
      labels: checkLabels(labels),
      password: typeof password === 'string',
      paused: null,
      url: null,
      live: null,
      needsDns: false,
    }));
    if (typeof password === 'string') await this.#keepPassword(record.id, checkPassword(password));
    if ('grant' in of) {
      grants.take(of.grant);
      nextDrop.clear();
    }
    if (record.build !== null) builds.approve(record.build);
    add(record);
    await saved();
    return record.id;
  }

  /** Stops the watch and pauses the folder before switching the address, so that no build can replace the chosen version. */
  #switchTo(folder: Folder, choose: (versions: Versions) => Deployment): Promise<Version> {
    return folder.exclusively(async () => {
      const { paused } = folder.record();
      folder.change({ paused: 'earlier-version' });
      try {
        await this.#options.saved();
        return await this.#withClient(folder, (client) => makeVersionLive(client, folder, choose, paused));
      } catch (error) {
        folder.change({ paused });
        throw error;
      }
    });
  }
}

/** Finds the build that the user has approved. @throws ClientError `refused` if the project is built differently now. */
async function findApprovedBuild(root: string, command: string): Promise<Build> {
  const build = await findBuild(root);
  if (build?.command === command) return build;
  throw new ClientError('refused', 'The build command of this project has changed. Choose the folder again.');
}

/** The change of a record whose folder or project was moved. */
function movedTo(path: ApprovedPath, { path: oldPath, build }: FolderRecord): Partial<FolderRecord> {
  if (build === null) return { path };
  return { path: ApprovedPath.parse(join(path, relative(build.root, oldPath))), build: { ...build, root: path } };
}
