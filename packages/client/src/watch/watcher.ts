import { dirname, sep } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { watch } from 'chokidar';
import { unlessAborted } from '../folder/drive.ts';

/** How long `close` waits for pending file system calls of a watcher, in milliseconds. */
const CLOSE_WITHIN_MS = 1_000;

export interface Watcher {
  close(): Promise<void>;
}

/** The callbacks of a watcher. */
export interface WatcherEvents {
  /** Something in the folder changed. @param path The absolute path that changed. */
  changed(path: string): void;
  /** The system no longer reports changes. */
  failed(error: Error): void;
}

/** Subfolders that are never published. They may contain more files than the system can watch. */
const NEVER_PUBLISHED = new Set(['.git', 'node_modules']);

/**
 * Watches a folder that may disappear and be created again: watches its parent, and ignores everything next to the folder.
 * Follows symbolic links, because the folder may be a link.
 *
 * @param folder An absolute path, which does not need to exist.
 * @param isIgnored Returns whether a path in the folder is ignored, given its parts. Default: `.git` and `node_modules` at the root are.
 * @returns The watcher, after it has become active. @throws ClientError `aborted` if the caller aborts before. Source: watching D1.
 */
export async function createWatcher(
  folder: string,
  events: WatcherEvents,
  signal: AbortSignal,
  isIgnored: (parts: readonly string[]) => boolean = ([root]) => NEVER_PUBLISHED.has(root!),
): Promise<Watcher> {
  const parent = dirname(folder);
  const prefix = folder.endsWith(sep) ? folder : folder + sep;
  const isWatched = (path: string) => path.startsWith(prefix) && !isIgnored(path.slice(prefix.length).split(sep));
  const watcher = watch(parent, {
    ignoreInitial: true,
    atomic: false,
    ignored: (path) => path !== parent && path !== folder && !isWatched(path),
  });
  watcher.on('all', (_event, path) => {
    if (path !== parent) events.changed(path);
  });
  const closeWatcher = async (): Promise<void> => {
    await Promise.race([watcher.close(), sleep(CLOSE_WITHIN_MS, undefined, { ref: false })]);
  };
  const watcherReady = new Promise<void>((resolve) => {
    watcher.once('ready', resolve).on('error', (error) => {
      events.failed(error instanceof Error ? error : new Error(String(error)));
      // A watcher that fails at its start never emits `ready`.
      resolve();
    });
  });
  try {
    await unlessAborted(watcherReady, signal);
  } catch (aborted) {
    await closeWatcher();
    throw aborted;
  }
  return { close: closeWatcher };
}
