import { dirname, sep } from 'node:path';
import { watch } from 'chokidar';

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
 * @returns The watcher, once it hears. Source: the watch rule, D1.
 */
export async function listenTo(folder: string, heard: Heard): Promise<Watcher> {
  const parent = dirname(folder);
  const watcher = watch(parent, {
    ignoreInitial: true,
    atomic: false,
    ignored: (path) => path !== parent && path !== folder && !isInside(path, folder),
  });
  watcher.on('all', (_event, path) => {
    if (path !== parent) heard.changed();
  });
  await new Promise<void>((resolve) => {
    watcher.once('ready', resolve).on('error', (error) => {
      heard.failed(error instanceof Error ? error : new Error(String(error)));
      // One that fails at its start never gets ready; it has said so.
      resolve();
    });
  });
  return watcher;
}

function isInside(path: string, folder: string): boolean {
  const inside = folder.endsWith(sep) ? folder : folder + sep;
  return path.startsWith(inside) && !NEVER_PUBLISHED.has(path.slice(inside.length).split(sep, 1)[0]!);
}
