import { close, open, read } from 'node:fs';

/** Files that are read again and again, kept open in between. */
export interface OpenFiles {
  /** Opens a file, or goes on with one that is open. @throws with code `ENOENT` when there is none. */
  use(path: string): Promise<OpenFile>;
  /** Closes a file as soon as nobody reads it: its bytes are given up. */
  forget(path: string): void;
}

/** A file in use. Its user ends that with `release`, once. */
export interface OpenFile {
  /** Fills `bytes` from a position on. @throws when the file ends before. */
  read(bytes: Uint8Array, position: number): Promise<void>;
  release(): void;
}

const MOST_OPEN = 128;
const IDLE_MS = 10_000;

interface Entry {
  fd: Promise<number>;
  users: number;
  /** Whether it is closed when its last user leaves. */
  isOver: boolean;
  /** Whether it was used since the last look. */
  isFresh: boolean;
}

/**
 * At most {@link MOST_OPEN} files are kept open, the least recently used being closed first, and none that was not used for
 * some {@link IDLE_MS} milliseconds. What is in use stays open, however many that are.
 */
export function createOpenFiles(): OpenFiles {
  const entries = new Map<string, Entry>();
  let looking: NodeJS.Timeout | null = null;

  function end(path: string, entry: Entry): void {
    if (entries.get(path) === entry) entries.delete(path);
    entry.isOver = true;
    closeUnused(entry);
  }

  /** Closes what nobody has used since the last look. */
  function look(): void {
    for (const [path, entry] of entries) {
      if (!entry.isFresh && entry.users === 0) end(path, entry);
      entry.isFresh = false;
    }
    if (entries.size === 0 && looking) {
      clearInterval(looking);
      looking = null;
    }
  }

  function enter(path: string): Entry {
    const entry: Entry = { fd: openFile(path), users: 0, isOver: false, isFresh: true };
    entry.fd.catch(() => entries.get(path) === entry && entries.delete(path));
    if (entries.size >= MOST_OPEN) {
      const [oldest] = entries;
      end(...oldest!);
    }
    looking ??= setInterval(look, IDLE_MS).unref();
    return entry;
  }

  return {
    async use(path) {
      const entry = entries.get(path) ?? enter(path);
      // The order of the map is that of use.
      entries.delete(path);
      entries.set(path, entry);
      entry.users += 1;
      entry.isFresh = true;
      const fd = await entry.fd;
      return {
        read: (bytes, position) => readFully(fd, bytes, position),
        release() {
          entry.users -= 1;
          if (entry.isOver) closeUnused(entry);
        },
      };
    },
    forget(path) {
      const entry = entries.get(path);
      if (entry) end(path, entry);
    },
  };
}

function closeUnused({ fd, users }: Entry): void {
  if (users > 0) return;
  // Nothing was written: there is nothing that closing could lose.
  fd.then((opened) => close(opened, () => {})).catch(() => {});
}

function openFile(path: string): Promise<number> {
  return new Promise((resolve, reject) => open(path, 'r', (error, fd) => (error ? reject(error) : resolve(fd))));
}

/** Fills `bytes` from a position of a file on. @throws when the file ends before. */
async function readFully(fd: number, bytes: Uint8Array, position: number): Promise<void> {
  for (let done = 0; done < bytes.length;) {
    const bytesRead = await readSome(fd, bytes, done, position + done);
    if (bytesRead === 0) throw new Error(`A pack ends before byte ${position + bytes.length}`);
    done += bytesRead;
  }
}

function readSome(fd: number, bytes: Uint8Array, offset: number, position: number): Promise<number> {
  return new Promise((resolve, reject) =>
    read(fd, bytes, offset, bytes.length - offset, position, (error, bytesRead) =>
      error ? reject(error) : resolve(bytesRead),
    ),
  );
}
