import { randomBytes } from 'node:crypto';
import { basename } from 'node:path';
import { ClientError } from '@berth/client';
import type { CommandInput } from '../../shared/contract.ts';
import type { PublishOptions } from '../../shared/publishing.ts';
import { isSiteOf } from '../../shared/is-site-of.ts';
import type { SiteFolder } from '../../shared/site-folder.ts';
import type { Handlers } from '../backend.ts';
import type { Granted } from '../grants.ts';
import type { Claims } from './claims.ts';
import { buildSource, type DropCheck, nameOf } from './drop-check.ts';
import { type Entry, isOpen, MAX_KEPT, passwordLost, type Source, type StoredState } from './entry.ts';
import type { PublishQueue } from './publish-queue.ts';
import type { RunnerOptions } from './runner.ts';
import { writeSampleSite } from './sample-site.ts';
import { namesOf } from './staging.ts';

interface PublishingHandlersOptions extends RunnerOptions {
  dropCheck: DropCheck;
  queue: Pick<PublishQueue, 'cancel'>;
  claims: Claims;
}

/** The handlers of the commands about publishing. */
export class PublishingHandlers implements Partial<Handlers> {
  readonly #options: PublishingHandlersOptions;

  constructor(options: PublishingHandlersOptions) {
    this.#options = options;
  }

  readonly publish: Handlers['publish'] = async ({ grants: given, pasted }) => {
    const { accounts, grants, nextDrop, list, isReady } = this.#options;
    if (!isReady()) throw new ClientError('refused', 'Choose your Berth server first. Then drop the item again.');
    const publishOptions = nextDrop.usable();
    const sources = sourcesOf(given.map((grant) => grants.peek(grant)));
    const server = accounts.session().current;
    const client = accounts.client(server);
    refuseUnpublishable(sources, publishOptions, client.key, list.entries().filter(isOpen).length);
    for (const grant of new Set(given)) grants.take(grant);
    nextDrop.clear();

    const publishings = await this.#begin(sources, server, { options: publishOptions, pasted });
    return { publishings };
  };

  readonly publishSiteAgain: Handlers['publishSiteAgain'] = async (site) => {
    const { accounts, list } = this.#options;
    const { server, domain, path } = this.#folderOf(site);
    const sources = [{ kind: 'folder', path } as const];
    const options = domain === null ? {} : { domain };
    refuseUnpublishable(sources, options, accounts.client(server).key, list.entries().filter(isOpen).length);
    const [id] = await this.#begin(sources, server, { options });
    return { id: id! };
  };

  readonly showSiteFolder: Handlers['showSiteFolder'] = async (site) =>
    void this.#options.showFolder(this.#folderOf(site).path);

  readonly updatePublishing: Handlers['updatePublishing'] = async ({ id, update }) => {
    const { list, dropCheck, siteFolders, publishWatched } = this.#options;
    const { server, source, options } = this.#findInState(id, ['asking'], 'This question is no longer open.');
    if (source.kind !== 'folder') throw new ClientError('refused', 'Only a folder can update a site.');
    if (update) {
      if (await publishWatched(server, source.path)) return this.dismissPublishing({ id });
      const site = siteFolders.siteAt(server, source.path);
      if (!site || site.domain === null)
        throw new ClientError('refused', 'This site no longer exists. Publish a new link.');
      list.change(id, { options: { ...options, domain: site.domain } });
    }
    dropCheck.confirm(id);
  };

  readonly answerPublishing: Handlers['answerPublishing'] = async ({ id, instead }) => {
    const { grants, list, dropCheck } = this.#options;
    const { name } = this.#findInState(id, ['asking'], 'This question is no longer open.');
    if (instead === null) {
      dropCheck.confirm(id);
      return;
    }
    if (grants.peek(instead).kind === 'file') throw new ClientError('refused', 'This is a file. Choose a folder.');
    const { path } = grants.take(instead);
    // By choosing a folder, the user also confirms a pasted item.
    list.change(id, { source: { kind: 'folder', path }, name: `${name}/${basename(path)}`, pasted: undefined });
    list.update(id, { question: null });
    await dropCheck.check(id);
  };

  readonly buildPublishing: Handlers['buildPublishing'] = async ({ id }) => {
    const { list, dropCheck, builds } = this.#options;
    const { source } = this.#findInState(id, ['asking'], 'This question is no longer open.');
    const built = buildSource(source, list.question(id));
    if (built === null) throw new ClientError('refused', 'This folder needs no build.');
    builds.approve(built.build);
    list.change(id, { source: built, pasted: undefined });
    list.update(id, { question: null });
    await dropCheck.check(id);
  };

  readonly cancelPublishing: Handlers['cancelPublishing'] = async ({ id }) => void (await this.#cancel(id));

  readonly retryPublishing: Handlers['retryPublishing'] = async ({ id }) => {
    const { list, dropCheck, passwords, listEvent } = this.#options;
    const entry = this.#findInState(id, ['failed', 'cancelled'], 'Only failed or cancelled items can be retried.');
    if (entry.password && !passwords.has(id)) throw passwordLost();
    list.change(id, { state: { is: 'asking' } });
    list.update(id, { question: null });
    listEvent.emitNow();
    await dropCheck.check(id);
  };

  readonly dismissPublishing: Handlers['dismissPublishing'] = async ({ id }) => {
    const { list, passwords, listEvent } = this.#options;
    if (isOpen(list.get(id))) await this.#cancel(id);
    passwords.delete(id);
    list.remove(id);
    listEvent.emitNow();
  };

  readonly claimPublishing: Handlers['claimPublishing'] = async ({ id }) => void (await this.#options.claims.claim(id));

  readonly keepPublishing: Handlers['keepPublishing'] = async ({ id }) => void (await this.#options.claims.keep(id));

  readonly publishSample: Handlers['publishSample'] = async () => {
    const { accounts, dataDir } = this.#options;
    const path = await writeSampleSite(dataDir);
    const [id] = await this.#begin([{ kind: 'folder', path }], accounts.session().current, { options: {} });
    return { id: id! };
  };

  /** Adds publish jobs and checks them. Resolves to their ids once they are checked and stored. */
  async #begin(
    sources: readonly Source[],
    server: string,
    { options, pasted }: { options: PublishOptions; pasted?: boolean | undefined },
  ): Promise<string[]> {
    const { accounts, list, dropCheck, passwords, listEvent } = this.#options;
    const { password, ...storedOptions } = options;
    const entries = sources.map((source): Entry => ({
      id: randomBytes(8).toString('hex'),
      name: nameOf(source),
      begun: Date.now(),
      server,
      anonymous: accounts.client(server).key === null,
      source,
      options: storedOptions,
      password: password !== undefined,
      sure: false,
      pasted,
      state: { is: 'asking' },
      leftOut: [],
    }));
    // Show the entries immediately, because a slow drive delays the checks.
    list.add(entries.toReversed());
    for (const { id } of entries) if (password !== undefined) passwords.set(id, password);
    listEvent.emitNow();
    await Promise.all(entries.map(({ id }) => dropCheck.check(id)));
    await list.saved();
    return entries.map(({ id }) => id);
  }

  /** Finds the folder of a site on the current server. @throws ClientError `refused` when the folder is unknown. */
  #folderOf(site: CommandInput<'publishSiteAgain'>): SiteFolder {
    const { accounts, siteFolders } = this.#options;
    const { current } = accounts.session();
    const folder = siteFolders.list().find((each) => each.server === current && isSiteOf(each, site));
    if (folder) return { ...folder, domain: site.domain };
    throw new ClientError('refused', 'This site was not published from a folder of this computer.');
  }

  /** Finds an entry that is in one of the states. @throws ClientError `refused` with `message` otherwise. */
  #findInState(id: string, states: readonly StoredState['is'][], message: string): Entry {
    const entry = this.#options.list.get(id);
    if (states.includes(entry.state.is)) return entry;
    throw new ClientError('refused', message);
  }

  async #cancel(id: string): Promise<void> {
    const { list, queue, staging, listEvent } = this.#options;
    list.get(id);
    await queue.cancel(id);
    // A running attempt has already stored its own result.
    const entry = list.get(id);
    if (!isOpen(entry)) return;
    const { source } = entry;
    if (source.kind === 'files') {
      // Store first that there is no copy, so that a half-removed copy is never used.
      list.change(id, { source: { ...source, staged: false } });
      await list.saved();
      await staging.remove(id).catch(() => {});
    }
    list.update(id, { view: null, question: null });
    list.change(id, { state: { is: 'cancelled' } });
    listEvent.emitNow();
  }
}

/** Makes one source for each folder and one for all files together. Ignores duplicates. */
function sourcesOf(granted: readonly Granted[]): Source[] {
  // An item on a drive that does not respond counts as a folder until the drive responds.
  const { file = [], folder = [] } = Object.groupBy(granted, ({ kind }) => (kind === 'file' ? 'file' : 'folder'));
  const uniquePaths = (items: readonly Granted[]) => [...new Set(items.map(({ path }) => path))];
  const folders = uniquePaths(folder).map((path): Source => ({ kind: 'folder', path }));
  return file.length === 0 ? folders : [...folders, { kind: 'files', paths: uniquePaths(file), staged: false }];
}

/** Rejects publish jobs that are certain to fail, before they start. @throws ClientError. */
function refuseUnpublishable(
  sources: readonly Source[],
  { domain }: PublishOptions,
  key: string | null,
  openCount: number,
): void {
  for (const source of sources) if (source.kind === 'files') namesOf(source.paths);
  if (domain !== undefined && key === null) throw new ClientError('signed-out', 'Sign in to use a domain.');
  if (domain !== undefined && sources.length > 1)
    throw new ClientError('refused', `${domain} can show only one site. Drop one folder at a time.`);
  if (openCount + sources.length > MAX_KEPT)
    throw new ClientError('refused', `At most ${MAX_KEPT} items can be queued. Drop the other items later.`);
}
