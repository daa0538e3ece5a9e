import { dirname, sep } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { watch } from 'chokidar';
import { unlessGivenUp } from '../folder/drive.ts';

/** A watcher ends when its last question to the drive is answered; one that takes longer, in milliseconds, is left to itself. */
const CLOSE_WITHIN_MS = 1_000;

/** Hears of changes below a path until it is closed. */
export interface Watcher {
  close(): Promise<void>;
}

/** What a watcher tells. */
export interface Heard {
  /** Something changed; what, only a look can tell. */
  changed(): void;
  /** The system tells of no more changes. */
  failed(error: Error): void;
}

/** Names at the root that no look ever finds, and that would take most of the watches of the system. */
const NEVER_PUBLISHED = new Set(['.git', 'node_modules']);

/**
 * Listens to a folder that may go and come back: its parent is watched, with everything beside the folder ignored. Links are
 * followed, since the folder may be one.
 *
 * @param folder An absolute path; nothing needs to be there.
 * @returns The watcher, once it hears. @throws ClientError `aborted` when the caller gave up before: a drive that does not answer
 *   is never listened to.
 * Source: the watch rule, D1.
 */
export async function listenTo(folder: string, heard: Heard, signal: AbortSignal): Promise<Watcher> {
  const parent = dirname(folder);
  const watcher = watch(parent, {
    ignoreInitial: true,
    atomic: false,
    ignored: (path) => path !== parent && path !== folder && !isInside(path, folder),
  });
  watcher.on('all', (_event, path) => {
    if (path !== parent) heard.changed();
  });
  const close = async (): Promise<void> => {
    await Promise.race([watcher.close(), sleep(CLOSE_WITHIN_MS, undefined, { ref: false })]);
  };
  const ready = new Promise<void>((resolve) => {
    watcher.once('ready', resolve).on('error', (error) => {
      heard.failed(error instanceof Error ? error : new Error(String(error)));
      // One that fails at its start never gets ready; it has said so.
      resolve();
    });
  });
  try {
    await unlessGivenUp(ready, signal);
  } catch (givenUp) {
    await close();
    throw givenUp;
  }
  return { close };
}

function isInside(path: string, folder: string): boolean {
  const inside = folder.endsWith(sep) ? folder : folder + sep;
  return path.startsWith(inside) && !NEVER_PUBLISHED.has(path.slice(inside.length).split(sep, 1)[0]!);
}
