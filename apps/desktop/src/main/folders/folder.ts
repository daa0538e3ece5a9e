import { basename } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { type BerthClient, ClientError, type WatchEvent, watchFolder, type WatchRule } from '@berth/client';
import type { Domain } from '@berth/contract';
import type { FolderState, WatchedFolder } from '../../shared/folder.ts';
import type { Keychain } from '../native.ts';
import { problemOf } from '../problem.ts';
import { become, beginFolder, type FolderView, lacksDns, showWatch } from './folder-state.ts';
import { type FolderRecord, passwordName } from './record.ts';

export interface FolderOptions {
  record: FolderRecord;
  keychain: Pick<Keychain, 'read'>;
  cacheDir: string;
  watchRule: Partial<WatchRule> | undefined;
  /** How many versions stay. It is asked after each deploy. */
  keep(): number;
  /** As whom it is published; `null` while nobody is signed in. */
  findClient(): BerthClient | null;
  /** The server did not take the key. */
  onRefused(): void;
  /** Hears of every change. What is kept of it has to be written down when the records differ. */
  onChange(before: Shown, now: Shown): void;
}

/** What is kept of a folder, and what is shown of it. */
export interface Shown {
  record: FolderRecord;
  folder: WatchedFolder;
}

/** A folder that is watched, unless it is paused or nobody is signed in. */
export interface Folder {
  readonly id: string;
  record(): FolderRecord;
  show(): WatchedFolder;
  /** Begins, goes on with or ends the watch, as it should be by now. Does nothing when it is so already. */
  turn(): void;
  /** Looks at the folder now. `publish`: and tries again what was refused, and answers. */
  nudge(how: 'look' | 'publish'): void;
  /** Ends the watch once the deploy that is under way is at its end. */
  pause(): void;
  resume(): void;
  /**
   * Does something while nothing is watched and no other work of this kind is under way. A deploy at hand is given up: what
   * was live stays. Afterwards the watch is as it should be by then.
   *
   * @throws whatever the work throws.
   */
  still<T>(work: () => Promise<T>): Promise<T>;
  change(change: Partial<FolderRecord>): void;
  /** Learned how its domain is. */
  hearDomain(domain: Domain): void;
  /** Ends the watch, with the deploy that is under way. It begins no other one. */
  close(): Promise<void>;
}

/** One run of the engine. */
interface Watch {
  client: BerthClient;
  nudges: EventTarget;
  leaving: AbortController;
  left: Promise<void>;
  hasLeft: boolean;
}

/** Makes a folder, which does nothing before its first {@link Folder.turn}. */
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
  let view: FolderView = beginFolder(kept);
  let watch: Watch | null = null;
  /** How many want it to be still. */
  let stills = 0;
  let working: Promise<unknown> = Promise.resolve();
  let isClosed = false;

  const shown = (): Shown => ({ record, folder: toWatchedFolder(record, view) });

  const set = (nextRecord: FolderRecord, nextView: FolderView): void => {
    const before = shown();
    const { url, live, needsDns } = nextView;
    const isKept = record === nextRecord && url === record.url && live === record.live && needsDns === record.needsDns;
    record = isKept ? record : { ...nextRecord, url, live, needsDns };
    view = nextView;
    onChange(before, shown());
  };

  const say = (state: FolderState): void => {
    if (!isDeepStrictEqual(state, view.state)) set(record, become(view, state));
  };

  const begin = (client: BerthClient): Watch => {
    set(record, { ...become(view, { is: 'starting' }), polling: null });
    const begun: Watch = {
      client,
      nudges: new EventTarget(),
      leaving: new AbortController(),
      left: Promise.resolve(),
      hasLeft: false,
    };
    begun.left = run(begun).finally(() => {
      begun.hasLeft = true;
      if (!isClosed && begun.leaving.signal.aborted) folder.turn();
    });
    return begun;
  };

  const run = async ({ client, nudges, leaving: { signal } }: Watch): Promise<void> => {
    const { id, path, domain, labels } = record;
    try {
      const password = await findPassword();
      if (signal.aborted) return;
      const input = { series: id, folder: path, client, domain, labels, keep, password, via: 'desktop' };
      for await (const event of watchFolder(input, { signal, cacheDir, rule: watchRule, nudges })) hear(event);
    } catch (error) {
      if (!signal.aborted) say({ is: 'failed', problem: problemOf(error) });
    }
  };

  /** A site that has a password is never published without it. */
  const findPassword = async (): Promise<string | null> => {
    if (!record.password) return null;
    const password = await keychain.read(passwordName(record.id)).catch(() => null);
    if (password !== null) return password;
    throw new ClientError(
      'refused',
      'Its password is not known any more, and without it the site would be open to everybody. Enter the password again.',
    );
  };

  const hear = (event: WatchEvent): void => {
    const next = showWatch(view, event, Date.now());
    if (next !== view) set(record, next);
    if (event.type === 'failed' && event.error.status === 401) onRefused();
    // A pause waits for the end of a deploy.
    if (record.paused !== null && view.state.is !== 'publishing') watch?.leaving.abort();
  };

  const leave = async (): Promise<void> => {
    watch?.leaving.abort();
    await watch?.left;
  };

  const folder: Folder = {
    id: kept.id,
    record: () => record,
    show: () => shown().folder,
    turn() {
      if (isClosed || stills > 0) return;
      const client = findClient();
      if (watch !== null && watch.hasLeft && watch.leaving.signal.aborted) watch = null;
      if (watch !== null && (client !== watch.client || record.paused !== null)) {
        const isEnding = record.paused !== null && client === watch.client && view.state.is === 'publishing';
        if (isEnding && !watch.hasLeft) return;
        watch.leaving.abort();
        if (!watch.hasLeft) return;
        watch = null;
      }
      if (record.paused !== null) return say({ is: 'paused', why: record.paused });
      if (client === null) return say({ is: 'signed-out' });
      watch ??= begin(client);
    },
    nudge(how) {
      if (how === 'publish' && watch?.hasLeft === true) watch = null;
      if (watch === null) return folder.turn();
      watch.nudges.dispatchEvent(new Event(how));
    },
    pause() {
      folder.change({ paused: record.paused ?? 'asked' });
      folder.turn();
    },
    resume() {
      folder.change({ paused: null });
      folder.nudge('publish');
    },
    still(work) {
      stills += 1;
      const done = working.then(async () => {
        await leave();
        return work();
      });
      working = done
        .catch(() => {})
        .finally(() => {
          stills -= 1;
          folder.turn();
        });
      return done;
    },
    change: (change) => set({ ...record, ...change }, { ...view, ...liveOf(change) }),
    hearDomain(domain) {
      const needsDns = lacksDns(domain);
      if (needsDns !== view.needsDns) set(record, { ...view, needsDns });
    },
    async close() {
      isClosed = true;
      await leave();
    },
  };
  return folder;
}

/** Of a change of the record, what is shown of it. */
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
