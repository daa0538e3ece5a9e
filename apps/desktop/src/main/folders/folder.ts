import { basename } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { type BerthClient, ClientError, type WatchEvent, watchFolder, type WatchRule } from '@berth/client';
import type { Domain } from '@berth/contract';
import type { FolderState, WatchedFolder } from '../../shared/folder.ts';
import type { Keychain } from '../native.ts';
import { problemOf } from '../problem.ts';
import { withState, initialFolderView, type FolderView, lacksDns, applyWatchEvent } from './folder-state.ts';
import { type FolderRecord, passwordName } from './record.ts';

export interface FolderOptions {
  record: FolderRecord;
  keychain: Pick<Keychain, 'read'>;
  cacheDir: string;
  watchRule: Partial<WatchRule> | undefined;
  /** How many versions to keep. Called after each deploy. */
  keep(): number;
  /** The client of the signed-in account; `null` while signed out. */
  findClient(): BerthClient | null;
  /** Called when the server rejects the key. */
  onRefused(): void;
  /** Called on every change. If the records differ, the new one must be stored. */
  onChange(before: FolderSnapshot, now: FolderSnapshot): void;
}

/** The stored record of a folder and its state for the page. */
export interface FolderSnapshot {
  record: FolderRecord;
  folder: WatchedFolder;
}

/** A folder that is watched unless it is paused or the user is signed out. */
export interface Folder {
  readonly id: string;
  record(): FolderRecord;
  show(): WatchedFolder;
  /** Starts or stops the watch to match the record and the session. Does nothing if they match already. */
  sync(): void;
  /** Scans the folder now. `publish` also retries a refused deploy and always emits a result. */
  nudge(how: 'scan' | 'publish'): void;
  /** Stops the watch after the running deploy, if there is one, has finished. */
  pause(): void;
  resume(): void;
  /**
   * Runs `work` while the watch is stopped. Calls run one after the other. A running deploy is aborted; the live version does not
   * change. Afterwards the watch restarts if it should.
   *
   * @throws The errors of `work`.
   */
  exclusively<T>(work: () => Promise<T>): Promise<T>;
  change(change: Partial<FolderRecord>): void;
  /** Updates the state of the folder's domain. */
  updateDomain(domain: Domain): void;
  /** Stops the watch and aborts its deploy. It cannot be started again. */
  close(): Promise<void>;
}

/** One run of the watch engine. */
interface Watch {
  client: BerthClient;
  nudges: EventTarget;
  controller: AbortController;
  ended: Promise<void>;
  hasEnded: boolean;
}

/** Creates a folder. It does nothing until {@link Folder.sync} is called. */
export function createFolder({
  record: kept,
  keychain,
  cacheDir,
  watchRule,
  keep,
  findClient,
  onRefused,
  onChange,
}: FolderOptions): Folder {
  let record = kept;
  let view: FolderView = initialFolderView(kept);
  let watch: Watch | null = null;
  /** The number of `exclusively` calls that wait or run. */
  let exclusiveCalls = 0;
  let working: Promise<unknown> = Promise.resolve();
  let isClosed = false;

  const shown = (): FolderSnapshot => ({ record, folder: toWatchedFolder(record, view) });

  const set = (nextRecord: FolderRecord, nextView: FolderView): void => {
    const before = shown();
    const { url, live, needsDns } = nextView;
    const isKept = record === nextRecord && url === record.url && live === record.live && needsDns === record.needsDns;
    record = isKept ? record : { ...nextRecord, url, live, needsDns };
    view = nextView;
    onChange(before, shown());
  };

  const setState = (state: FolderState): void => {
    if (!isDeepStrictEqual(state, view.state)) set(record, withState(view, state));
  };

  const start = (client: BerthClient): Watch => {
    set(record, { ...withState(view, { is: 'starting' }), polling: null });
    const started: Watch = {
      client,
      nudges: new EventTarget(),
      controller: new AbortController(),
      ended: Promise.resolve(),
      hasEnded: false,
    };
    started.ended = run(started).finally(() => {
      started.hasEnded = true;
      if (!isClosed && started.controller.signal.aborted) folder.sync();
    });
    return started;
  };

  const run = async ({ client, nudges, controller: { signal } }: Watch): Promise<void> => {
    const { id, path, domain, labels } = record;
    try {
      const password = await findPassword();
      if (signal.aborted) return;
      const input = { series: id, folder: path, client, domain, labels, keep, password, via: 'desktop' };
      for await (const event of watchFolder(input, { signal, cacheDir, rule: watchRule, nudges })) apply(event);
    } catch (error) {
      if (!signal.aborted) setState({ is: 'failed', problem: problemOf(error) });
    }
  };

  /** Reads the password. Throws if it is lost, because a site with a password must not be published without one. */
  const findPassword = async (): Promise<string | null> => {
    if (!record.password) return null;
    const password = await keychain.read(passwordName(record.id)).catch(() => null);
    if (password !== null) return password;
    throw new ClientError(
      'refused',
      'The password of this site is lost. Enter the password again to resume publishing.',
    );
  };

  const apply = (event: WatchEvent): void => {
    const next = applyWatchEvent(view, event, Date.now());
    if (next !== view) set(record, next);
    if (event.type === 'failed' && event.error.status === 401) onRefused();
    // A pause takes effect when the running deploy has ended.
    if (record.paused !== null && view.state.is !== 'publishing') watch?.controller.abort();
  };

  const stop = async (): Promise<void> => {
    watch?.controller.abort();
    await watch?.ended;
  };

  const folder: Folder = {
    id: kept.id,
    record: () => record,
    show: () => shown().folder,
    sync() {
      if (isClosed || exclusiveCalls > 0) return;
      const client = findClient();
      if (watch !== null && watch.hasEnded && watch.controller.signal.aborted) watch = null;
      if (watch !== null && (client !== watch.client || record.paused !== null)) {
        const isEnding = record.paused !== null && client === watch.client && view.state.is === 'publishing';
        if (isEnding && !watch.hasEnded) return;
        watch.controller.abort();
        if (!watch.hasEnded) return;
        watch = null;
      }
      if (record.paused !== null) return setState({ is: 'paused', why: record.paused });
      if (client === null) return setState({ is: 'signed-out' });
      watch ??= start(client);
    },
    nudge(how) {
      if (how === 'publish' && watch?.hasEnded === true) watch = null;
      if (watch === null) return folder.sync();
      watch.nudges.dispatchEvent(new Event(how === 'scan' ? 'look' : 'publish'));
    },
    pause() {
      folder.change({ paused: record.paused ?? 'asked' });
      folder.sync();
    },
    resume() {
      folder.change({ paused: null });
      folder.nudge('publish');
    },
    exclusively(work) {
      exclusiveCalls += 1;
      const done = working.then(async () => {
        await stop();
        return work();
      });
      working = done
        .catch(() => {})
        .finally(() => {
          exclusiveCalls -= 1;
          folder.sync();
        });
      return done;
    },
    change: (change) => set({ ...record, ...change }, { ...view, ...liveOf(change) }),
    updateDomain(domain) {
      const needsDns = lacksDns(domain);
      if (needsDns !== view.needsDns) set(record, { ...view, needsDns });
    },
    async close() {
      isClosed = true;
      await stop();
    },
  };
  return folder;
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
