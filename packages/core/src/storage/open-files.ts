import { close, open, read } from 'node:fs';
import { promisify } from 'node:util';
import { type PartialReader, readFully } from './whole-bytes.ts';

/** A cache of open files for repeated reads. */
export interface OpenFiles {
  /** Opens a file, or reuses an open one. @throws with code `ENOENT` if it does not exist. */
  use(path: string): Promise<OpenFile>;
  /** Closes a file as soon as no reader uses it. Called when the file is removed. */
  forget(path: string): void;
}

/** An open file. Its user must call `release` once. */
interface OpenFile {
  /** Fills `bytes` from a position of the file. @throws if the file is too short. */
  read(bytes: Uint8Array, position: number): Promise<void>;
  release(): void;
}

const openFile = promisify(open);
const readSome = promisify(read);
const MAX_OPEN_FILES = 128;
const IDLE_MS = 10_000;

interface Entry {
  fd: Promise<number>;
  users: number;
  /** Whether the file is closed when its last user releases it. */
  isClosing: boolean;
  /** Whether the file was used since the last check for idle files. */
  wasUsed: boolean;
}

/**
 * Creates a cache of at most {@link MAX_OPEN} open files, which closes the least recently used file first and any file after
 * about {@link IDLE_MS} milliseconds without use. Files in use stay open, even above the maximum.
 */
export function createOpenFiles(): OpenFiles {
  const entries = new Map<string, Entry>();
  let idleTimer: NodeJS.Timeout | null = null;

  function closeEntry(path: string, entry: Entry): void {
    if (entries.get(path) === entry) entries.delete(path);
    entry.isClosing = true;
    closeUnused(entry);
  }

  function closeIdle(): void {
    for (const [path, entry] of entries) {
      if (!entry.wasUsed && entry.users === 0) closeEntry(path, entry);
      entry.wasUsed = false;
    }
    if (entries.size === 0 && idleTimer) {
      clearInterval(idleTimer);
      idleTimer = null;
    }
  }

  function addEntry(path: string): Entry {
    const entry: Entry = { fd: openFile(path, 'r'), users: 0, isClosing: false, wasUsed: true };
    entry.fd.catch(() => entries.get(path) === entry && entries.delete(path));
    if (entries.size >= MAX_OPEN_FILES) {
      const [oldest] = entries;
      closeEntry(...oldest!);
    }
    idleTimer ??= setInterval(closeIdle, IDLE_MS).unref();
    return entry;
  }

  return {
    async use(path) {
      const entry = entries.get(path) ?? addEntry(path);
      // Reinserts the entry, because the map is ordered by last use.
      entries.delete(path);
      entries.set(path, entry);
      entry.users += 1;
      entry.wasUsed = true;
      const fd = await entry.fd;
      const file: PartialReader = { read: (...part) => readSome(fd, ...part) };
      return {
        read: (bytes, position) => readFully(file, bytes, position),
        release() {
          entry.users -= 1;
          if (entry.isClosing) closeUnused(entry);
        },
      };
    },
    forget(path) {
      const entry = entries.get(path);
      if (entry) closeEntry(path, entry);
    },
  };
}

function closeUnused({ fd, users }: Entry): void {
  if (users > 0) return;
  // The file was only read, so that a failed close loses nothing.
  fd.then((opened) => close(opened, () => {})).catch(() => {});
}
