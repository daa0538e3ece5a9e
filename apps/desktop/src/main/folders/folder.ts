import { once } from 'node:events';
import { basename } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import {
  type BerthClient,
  ClientError,
  type FolderDisk,
  type WatchEvent,
  WATCH_RULE,
  watchFolder,
  type WatchRule,
} from '@berth/client';
import type { Domain } from '@berth/contract';
import pLimit from 'p-limit';
import type { FolderState, WatchedFolder } from '../../shared/folder.ts';
import type { BuildOutput } from '../../shared/publishing.ts';
import { lockedError } from '../account/known-server.ts';
import type { Keychain } from '../native.ts';
import { problemOf } from '../problem.ts';
import type { Builds } from '../projects/builds.ts';
import { BuiltFolder } from '../projects/built-folder.ts';
import {
  applyBuildOutput,
  applyWatchEvent,
  type FolderRecord,
  type FolderView,
  initialFolderView,
  lacksDns,
  passwordName,
  withState,
} from './folder-state.ts';

/** The pause before a locked key store is read again, in milliseconds. */
const LOCKED_PAUSE_MS = 60_000;

function waitingFor(error: ClientError): FolderState {
  return { is: 'waiting', problem: problemOf(error), until: Date.now() + LOCKED_PAUSE_MS };
}

interface FolderOptions {
  record: FolderRecord;
  keychain: Pick<Keychain, 'read'>;
  cacheDir: string;
  disk: FolderDisk | undefined;
  builds: Pick<Builds, 'run'>;
  watchRule: Partial<WatchRule> | undefined;
  /** Returns how many versions to keep. Called after each deploy. */
  keep(): number;
  /** Finds the client of the signed-in account; `null` while the user is signed out. */
  findClient(): BerthClient | null;
  /** Says why the client cannot be used yet; `null` if the user is signed out. */
  lockedError(): ClientError | null;
  /** Called with the error of each failed deploy. */
  onFailure(error: ClientError): void;
  /** Called on every change. If the records differ, the new record must be stored. */
  onChange(before: FolderSnapshot, now: FolderSnapshot): void;
}

/** The stored record of a folder, and the folder as the page shows it. */
export interface FolderSnapshot {
  record: FolderRecord;
  folder: WatchedFolder;
}

/** One run of the watch engine. */
interface Watch {
  client: BerthClient;
  nudges: EventTarget;
  /** `null` if the folder itself is watched. */
  builtFolder: BuiltFolder | null;
  controller: AbortController;
  stopped: Promise<void>;
  isStopped: boolean;
}

/** A folder that is watched unless it is paused or the user is signed out. The watch begins with {@link Folder.sync}. */
export class Folder {
  readonly id: string;
  readonly #options: FolderOptions;
  #record: FolderRecord;
  #view: FolderView;
  #watch: Watch | null = null;
  /** The number of {@link exclusively} calls that wait or run. */
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

  /** Starts or stops the watch to match the record and the session. */
  sync(): void {
    if (this.#isClosed || this.#exclusiveCalls > 0) return;
    const client = this.#options.findClient();
    if (!this.#dropUnwantedWatch(client)) return;
    const { paused } = this.#record;
    if (paused !== null) return this.#setState({ is: 'paused', why: paused });
    if (client === null) return this.#showSignedOut();
    this.#watch ??= this.#start(client);
  }

  /** Scans the folder now. `publish` also retries a refused deploy and always emits the resulting state. */
  nudge(how: 'scan' | 'publish'): void {
    if (how === 'publish' && this.#watch?.isStopped === true) this.#watch = null;
    if (this.#watch === null) return this.sync();
    if (how === 'publish') this.#watch.builtFolder?.request();
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
   * change. Afterwards the watch restarts unless the folder is paused or the user is signed out.
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
    const record = { ...this.#record, ...change };
    const { url, live, needsDns } = record;
    this.#set(record, { ...this.#view, url, live, needsDns });
  }

  /** Updates the state of the folder's domain. */
  updateDomain(domain: Domain): void {
    const needsDns = lacksDns(domain);
    if (needsDns !== this.#view.needsDns) this.#set(this.#record, { ...this.#view, needsDns });
  }

  /** Stops the watch and aborts its deploy. The watch cannot be started again. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#stop();
  }

  #snapshot(): FolderSnapshot {
    const { id, server, domain, labels, password, build } = this.#record;
    const { deploy: _deploy, ...shown } = this.#view;
    const path = build?.root ?? this.#record.path;
    const name = basename(path) || path;
    return { record: this.#record, folder: { id, name, path, server, domain, labels, password, ...shown } };
  }

  #set(next: FolderRecord, view: FolderView): void {
    const snapshotBefore = this.#snapshot();
    const { url, live, needsDns } = view;
    const current = this.#record;
    const isUnchanged =
      current === next && url === current.url && live === current.live && needsDns === current.needsDns;
    this.#record = isUnchanged ? current : { ...next, url, live, needsDns };
    this.#view = view;
    this.#options.onChange(snapshotBefore, this.#snapshot());
  }

  #setState(state: FolderState): void {
    if (!isDeepStrictEqual(state, this.#view.state)) this.#set(this.#record, withState(this.#view, state));
  }

  /** Stops and drops a watch that does not match the session or the record. @returns False while the watch is stopping. */
  #dropUnwantedWatch(client: BerthClient | null): boolean {
    if (this.#watch?.isStopped === true && this.#watch.controller.signal.aborted) this.#watch = null;
    const watch = this.#watch;
    const isPaused = this.#record.paused !== null;
    if (watch === null || (client === watch.client && !isPaused)) return true;
    // A pause takes effect when the running deploy has finished.
    const isDeploying = isPaused && client === watch.client && this.#view.state.is === 'publishing';
    if (isDeploying && !watch.isStopped) return false;
    watch.controller.abort();
    if (!watch.isStopped) return false;
    this.#watch = null;
    return true;
  }

  #start(client: BerthClient): Watch {
    this.#set(this.#record, { ...withState(this.#view, { is: 'starting' }), polling: null });
    const controller = new AbortController();
    const startedWatch: Watch = {
      client,
      nudges: new EventTarget(),
      builtFolder: this.#createBuiltFolder(controller.signal),
      controller,
      stopped: Promise.resolve(),
      isStopped: false,
    };
    startedWatch.stopped = this.#run(startedWatch).finally(() => {
      startedWatch.isStopped = true;
      if (!this.#isClosed && startedWatch.controller.signal.aborted) this.sync();
    });
    return startedWatch;
  }

  #createBuiltFolder(signal: AbortSignal): BuiltFolder | null {
    const { path: folder, build } = this.#record;
    if (build === null) return null;
    const { builds, watchRule } = this.#options;
    const { quietMs } = { ...WATCH_RULE, ...watchRule };
    const onOutput = (output: BuildOutput) => {
      if (!signal.aborted) this.#set(this.#record, applyBuildOutput(this.#view, output));
    };
    return new BuiltFolder({ build, folder, builds, quietMs, onOutput }, signal);
  }

  async #run({ client, nudges, builtFolder, controller: { signal } }: Watch): Promise<void> {
    const { cacheDir, disk, watchRule, keep } = this.#options;
    const { id, path, domain, labels } = this.#record;
    try {
      const password = await this.#findPassword(nudges, signal);
      if (signal.aborted) return;
      const input = { series: id, folder: path, client, domain, labels, keep, password, via: 'desktop' };
      const source = builtFolder ?? undefined;
      for await (const event of watchFolder(input, { signal, cacheDir, disk, source, rule: watchRule, nudges }))
        this.#apply(event);
    } catch (error) {
      if (!signal.aborted) this.#setState({ is: 'failed', problem: problemOf(error) });
    }
  }

  #showSignedOut(): void {
    const locked = this.#options.lockedError();
    if (locked === null) return this.#setState({ is: 'signed-out' });
    if (this.#view.state.is !== 'waiting') this.#setState(waitingFor(locked));
  }

  /**
   * Reads the password, again and again while the key store is locked. A nudge ends the pause. Throws if the password is lost,
   * because a site with a password must not be published without it.
   */
  async #findPassword(nudges: EventTarget, signal: AbortSignal): Promise<string | null> {
    const { id, password: hasPassword } = this.#record;
    if (!hasPassword) return null;
    let password: string | null | 'locked';
    while ((password = await this.#readPassword(passwordName(id))) === 'locked') {
      this.#setState(waitingFor(lockedError()));
      const pause = AbortSignal.any([signal, AbortSignal.timeout(LOCKED_PAUSE_MS)]);
      await once(nudges, 'look', { signal: pause }).catch(() => {});
      if (signal.aborted) return null;
    }
    if (password !== null) return password;
    throw new ClientError(
      'refused',
      'The password of this site is lost. Enter the password again to resume publishing.',
    );
  }

  #readPassword(name: string): Promise<string | null | 'locked'> {
    return this.#options.keychain.read(name).catch(() => 'locked');
  }

  #apply(event: WatchEvent): void {
    const nextView = applyWatchEvent(this.#view, event, Date.now());
    if (nextView !== this.#view) this.#set(this.#record, nextView);
    if (event.type === 'failed') this.#options.onFailure(event.error);
    if (this.#record.paused !== null && this.#view.state.is !== 'publishing') this.#watch?.controller.abort();
  }

  async #stop(): Promise<void> {
    this.#watch?.controller.abort();
    await this.#watch?.stopped;
  }
}
