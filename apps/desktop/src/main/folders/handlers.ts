import { randomBytes } from 'node:crypto';
import { type BerthClient, ClientError } from '@berth/client';
import type { CommandInput } from '../../shared/contract.ts';
import type { Accounts } from '../account/accounts.ts';
import { withSignedInClient, findClient } from '../account/credentials.ts';
import { type ApprovedPath, approve } from '../approval/approve.ts';
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
export function createFolderHandlers(options: FolderHandlersOptions): FolderHandlers {
  const commands = new FolderCommands(options);
  const { native, accounts, refreshLive, saved } = options;
  return {
    ...createRunningHandlers({
      showFolder: (path) => native.showFolder(path),
      accounts,
      find: (id) => commands.find(id),
      askFor: (folder, work) => commands.askFor(folder, work),
      refreshLive,
      saved,
    }),
    suggestName: (input) => commands.suggestName(input),
    checkFolder: (input) => commands.checkFolder(input),
    watch: (input) => commands.watch(input),
    changeFolder: (input) => commands.changeFolder(input),
    locateFolder: (input) => commands.locateFolder(input),
    removeFolder: (input) => commands.removeFolder(input),
  };
}

type Input<C extends keyof FolderHandlers> = Parameters<FolderHandlers[C]>[0];
type Output<C extends keyof FolderHandlers> = ReturnType<FolderHandlers[C]>;

class FolderCommands {
  readonly #options: FolderHandlersOptions;
  /** Runs changes one after the other, so that each sees what the ones before it have added. */
  readonly #serially = createSerialQueue();

  constructor(options: FolderHandlersOptions) {
    this.#options = options;
  }

  find(id: string): Folder {
    const folder = this.#options.folders.get(id);
    if (!folder) throw new ClientError('refused', 'This folder is no longer watched.');
    return folder;
  }

  askFor<T>(folder: Folder, work: (client: BerthClient) => Promise<T>): Promise<T> {
    return withSignedInClient(this.#options.accounts, work, folder.record().server);
  }

  async suggestName({ of, name }: Input<'suggestName'>): Output<'suggestName'> {
    const { accounts } = this.#options;
    const { current } = accounts.session();
    const client = findClient(accounts, current);
    if (name !== undefined) {
      const read = readDomain(name);
      return { name: read, validation: await validateName(client, read) };
    }
    const usedLabels = new Set(this.#othersAt(current).map(({ domain }) => domain.split('.', 1)[0]));
    return suggestName(client, this.#pathOf(of), (name) => usedLabels.has(name));
  }

  async checkFolder({ of }: Input<'checkFolder'>): Output<'checkFolder'> {
    return { question: (await approve(this.#pathOf(of), this.#options.grants)).question };
  }

  async watch(input: Input<'watch'>): Output<'watch'> {
    const { of, sure, password } = input;
    this.#checkDecided(of, password);
    // Outside the queue, so that a slow drive delays only its own folder.
    const { path, question } = await approve(this.#pathOf(of), this.#options.grants, sure);
    if (question !== null) return { is: 'asking', question };
    const id = await this.#serially(() => this.#addFolder(path, input));
    return { is: 'watched', id };
  }

  async changeFolder({
    id,
    domain: typed,
    labels: given,
    password: entered,
  }: Input<'changeFolder'>): Output<'changeFolder'> {
    await this.#serially(async () => {
      const folder = this.find(id);
      const { server, domain } = folder.record();
      const named =
        typed === undefined
          ? domain
          : await this.askFor(folder, (client) => checkDomain(client, typed, this.#othersAt(server, id)));
      const labels = given && checkLabels(given);
      if (typeof entered === 'string') await this.#keepPassword(id, checkPassword(entered));
      // If the folder was removed meanwhile, its password must go too.
      if (typeof entered === 'string' && !this.#options.folders.has(id)) await this.#removePassword(id);
      this.find(id);
      await this.#applyChange(folder, { named, labels, entered });
      await this.#options.saved();
    });
  }

  async locateFolder({ id, grant, sure }: Input<'locateFolder'>): Output<'locateFolder'> {
    const { grants, saved } = this.#options;
    this.find(id);
    const { path, question } = await approve(this.#pathOf({ grant }), grants, sure);
    if (question !== null) return { is: 'asking', question };
    return this.#serially(async () => {
      const folder = this.find(id);
      await checkPath(path, this.#recordsBut(id));
      grants.take(grant);
      await folder.exclusively(async () => folder.change({ path }));
      await saved();
      return { is: 'located' as const };
    });
  }

  async removeFolder({ id }: Input<'removeFolder'>): Output<'removeFolder'> {
    const { remove, saved } = this.#options;
    const folder = this.find(id);
    if (folder.record().password) await this.#removePassword(id);
    remove(id);
    await folder.close();
    await saved();
  }

  async #addFolder(path: ApprovedPath, { of, domain, labels, password }: Input<'watch'>): Promise<string> {
    const { accounts, grants, nextDrop, add, saved } = this.#options;
    await checkPath(path, this.#recordsBut());
    const { current: server } = accounts.session();
    const record = await withSignedInClient(accounts, async (client): Promise<FolderRecord> => ({
      id: randomBytes(8).toString('hex'),
      path,
      server,
      domain: await checkDomain(client, domain, this.#othersAt(server)),
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
    add(record);
    await saved();
    return record.id;
  }

  /** Changes the record last: a folder whose record has a password is never published without it. */
  async #applyChange(
    folder: Folder,
    { named, labels, entered }: { named: string; labels: string[] | undefined; entered: string | null | undefined },
  ): Promise<void> {
    const { domain, paused } = folder.record();
    await folder.exclusively(async () => {
      if (entered === null) await this.#removePassword(folder.id);
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
  }

  #othersAt(server: string, id?: string): FolderRecord[] {
    return this.#recordsBut(id).filter((record) => record.server === server);
  }

  #recordsBut(id?: string): FolderRecord[] {
    return [...this.#options.folders.values()].filter((folder) => folder.id !== id).map((folder) => folder.record());
  }

  #pathOf(of: FolderSource): string {
    const { grants, publishedFolder } = this.#options;
    if ('publishing' in of) return publishedFolder(of.publishing).path;
    const { path, kind } = grants.peek(of.grant);
    if (kind !== 'file') return path;
    throw new ClientError('refused', 'Only a folder can be watched. Choose the folder that the file is in.');
  }

  /** Makes sure that a password is dropped only if the user decided so. @throws ClientError `refused`. */
  #checkDecided(of: FolderSource, password: string | null | undefined): void {
    const { nextDrop, publishedFolder } = this.#options;
    if (password !== undefined) return;
    if ('publishing' in of ? publishedFolder(of.publishing).password : nextDrop.options().password !== undefined)
      throw new ClientError('refused', 'A password was set for this site. Enter it, or choose to publish without one.');
  }

  #keepPassword(id: string, password: string): Promise<void> {
    return this.#options.native.keychain.write(passwordName(id), password).catch((cause: unknown) => {
      throw new ClientError('refused', 'The system keychain refused to store the password.', { cause });
    });
  }

  #removePassword(id: string): Promise<void> {
    return this.#options.native.keychain.remove(passwordName(id)).catch((cause: unknown) => {
      throw new ClientError('refused', 'The system keychain could not delete the password.', { cause });
    });
  }
}
