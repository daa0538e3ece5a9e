import { basename } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { type BerthClient, ClientError, type WatchEvent, watchFolder, type WatchRule } from '@berth/client';
import type { Domain } from '@berth/contract';
import pLimit from 'p-limit';
import type { FolderState, WatchedFolder } from '../../shared/folder.ts';
import type { Keychain } from '../native.ts';
import { problemOf } from '../problem.ts';
import {
  applyWatchEvent,
  type FolderRecord,
  type FolderView,
  initialFolderView,
  lacksDns,
  passwordName,
  withState,
} from './folder-state.ts';

export interface FolderOptions {
  record: FolderRecord;
  keychain: Pick<Keychain, 'read'>;
  cacheDir: string;
  watchRule: Partial<WatchRule> | undefined;
  /** How many versions to keep. Called after each deploy. */
  keep(): number;
  /** The client of the signed-in account; `null` while signed out. */
  findClient(): BerthClient | null;
  /** Called with the error of each failed deploy. */
  onFailure(error: ClientError): void;
  /** Called on every change. If the records differ, the new one must be stored. */
  onChange(before: FolderSnapshot, now: FolderSnapshot): void;
}

/** The stored record of a folder and its state for the page. */
export interface FolderSnapshot {
  record: FolderRecord;
  folder: WatchedFolder;
}

/** One run of the watch engine. */
interface Watch {
  client: BerthClient;
  nudges: EventTarget;
  controller: AbortController;
  ended: Promise<void>;
  hasEnded: boolean;
}

/** A folder that is watched unless it is paused or the user is signed out. Does nothing until {@link Folder.sync} is called. */
export class Folder {
  readonly id: string;
  readonly #options: FolderOptions;
  #record: FolderRecord;
  #view: FolderView;
  #watch: Watch | null = null;
  /** The number of `exclusively` calls that wait or run. */
  #exclusiveCalls = 0;
  readonly #serially = pLimit(1);
  #isClosed = false;

  constructor(options: FolderOptions) {
    this.id = options.record.id;
    this.#options = options;
    this.#record = options.record;
    this.#view = initialFolderView(options.record);
  }

  record(): FolderRecord {
    return this.#record;
  }

  show(): WatchedFolder {
    return this.#snapshot().folder;
  }

  /** Starts or stops the watch to match the record and the session. Does nothing if they match already. */
  sync(): void {
    if (this.#isClosed || this.#exclusiveCalls > 0) return;
    const client = this.#options.findClient();
    if (!this.#dropUnwantedWatch(client)) return;
    const { paused } = this.#record;
    if (paused !== null) return this.#setState({ is: 'paused', why: paused });
    if (client === null) return this.#setState({ is: 'signed-out' });
    this.#watch ??= this.#start(client);
  }

  /** Scans the folder now. `publish` also retries a refused deploy and always emits a result. */
  nudge(how: 'scan' | 'publish'): void {
    if (how === 'publish' && this.#watch?.hasEnded === true) this.#watch = null;
    if (this.#watch === null) return this.sync();
    this.#watch.nudges.dispatchEvent(new Event(how === 'scan' ? 'look' : 'publish'));
  }

  /** Stops the watch after the running deploy, if there is one, has finished. */
  pause(): void {
    this.change({ paused: this.#record.paused ?? 'asked' });
    this.sync();
  }

  resume(): void {
    this.change({ paused: null });
    this.nudge('publish');
  }

  /**
   * Runs `work` while the watch is stopped. Calls run one after the other. A running deploy is aborted; the live version does not
   * change. Afterwards the watch restarts if it should.
   *
   * @throws The errors of `work`.
   */
  async exclusively<T>(work: () => Promise<T>): Promise<T> {
    this.#exclusiveCalls += 1;
    try {
      return await this.#serially(async () => {
        await this.#stop();
        return work();
      });
    } finally {
      this.#exclusiveCalls -= 1;
      this.sync();
    }
  }

  change(change: Partial<FolderRecord>): void {
    this.#set({ ...this.#record, ...change }, { ...this.#view, ...liveOf(change) });
  }

  /** Updates the state of the folder's domain. */
  updateDomain(domain: Domain): void {
    const needsDns = lacksDns(domain);
    if (needsDns !== this.#view.needsDns) this.#set(this.#record, { ...this.#view, needsDns });
  }

  /** Stops the watch and aborts its deploy. It cannot be started again. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#stop();
  }

  #snapshot(): FolderSnapshot {
    return { record: this.#record, folder: toWatchedFolder(this.#record, this.#view) };
  }

  #set(next: FolderRecord, view: FolderView): void {
    const before = this.#snapshot();
    const { url, live, needsDns } = view;
    const current = this.#record;
    const isUnchanged =
      current === next && url === current.url && live === current.live && needsDns === current.needsDns;
    this.#record = isUnchanged ? current : { ...next, url, live, needsDns };
    this.#view = view;
    this.#options.onChange(before, this.#snapshot());
  }

  #setState(state: FolderState): void {
    if (!isDeepStrictEqual(state, this.#view.state)) this.#set(this.#record, withState(this.#view, state));
  }

  /** Stops and drops a watch that does not match the session or the record. @returns False while it still ends. */
  #dropUnwantedWatch(client: BerthClient | null): boolean {
    if (this.#watch?.hasEnded === true && this.#watch.controller.signal.aborted) this.#watch = null;
    const watch = this.#watch;
    const isPaused = this.#record.paused !== null;
    if (watch === null || (client === watch.client && !isPaused)) return true;
    // A pause takes effect when the running deploy has ended.
    const isEnding = isPaused && client === watch.client && this.#view.state.is === 'publishing';
    if (isEnding && !watch.hasEnded) return false;
    watch.controller.abort();
    if (!watch.hasEnded) return false;
    this.#watch = null;
    return true;
  }

  #start(client: BerthClient): Watch {
    this.#set(this.#record, { ...withState(this.#view, { is: 'starting' }), polling: null });
    const started: Watch = {
      client,
      nudges: new EventTarget(),
      controller: new AbortController(),
      ended: Promise.resolve(),
      hasEnded: false,
    };
    started.ended = this.#run(started).finally(() => {
      started.hasEnded = true;
      if (!this.#isClosed && started.controller.signal.aborted) this.sync();
    });
    return started;
  }

  async #run({ client, nudges, controller: { signal } }: Watch): Promise<void> {
    const { cacheDir, watchRule, keep } = this.#options;
    const { id, path, domain, labels } = this.#record;
    try {
      const password = await this.#findPassword();
      if (signal.aborted) return;
      const input = { series: id, folder: path, client, domain, labels, keep, password, via: 'desktop' };
      for await (const event of watchFolder(input, { signal, cacheDir, rule: watchRule, nudges })) this.#apply(event);
    } catch (error) {
      if (!signal.aborted) this.#setState({ is: 'failed', problem: problemOf(error) });
    }
  }

  /** Reads the password. Throws if it is lost, because a site with a password must not be published without one. */
  async #findPassword(): Promise<string | null> {
    const { id, password: hasPassword } = this.#record;
    if (!hasPassword) return null;
    const password = await this.#options.keychain.read(passwordName(id)).catch(() => null);
    if (password !== null) return password;
    throw new ClientError(
      'refused',
      'The password of this site is lost. Enter the password again to resume publishing.',
    );
  }

  #apply(event: WatchEvent): void {
    const next = applyWatchEvent(this.#view, event, Date.now());
    if (next !== this.#view) this.#set(this.#record, next);
    if (event.type === 'failed') this.#options.onFailure(event.error);
    if (this.#record.paused !== null && this.#view.state.is !== 'publishing') this.#watch?.controller.abort();
  }

  async #stop(): Promise<void> {
    this.#watch?.controller.abort();
    await this.#watch?.ended;
  }
}

/** The fields of a changed record that are part of the view. */
function liveOf({ url, live, needsDns }: Partial<FolderRecord>): Partial<FolderView> {
  return {
    ...(url !== undefined && { url }),
    ...(live !== undefined && { live }),
    ...(needsDns !== undefined && { needsDns }),
  };
}

function toWatchedFolder(
  { id, path, server, domain, labels, password }: FolderRecord,
  { state, url, live, leftOut, polling, needsDns }: FolderView,
): WatchedFolder {
  const name = basename(path) || path;
  return { id, name, path, server, domain, url, labels, password, state, live, leftOut, polling, needsDns };
}
