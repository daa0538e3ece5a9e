import { join } from 'node:path';
import { cacheName, readCacheFile, writeCacheFile } from './cache-files.ts';

const VERSION = 1;

/** Remembers the hashes of the files of one folder. */
export interface HashCache {
  /**
   * @returns The SHA-256 of a file whose state has not changed since it was read; `null` if it has, or if the file is unknown.
   */
  find(name: string, state: string): string | null;
  /** Adds the hash of a file. Only for settled files. */
  add(name: string, state: string, sha256: string): void;
  /** Writes the entries that were found or added since the cache was opened, and drops all others. */
  save(): void;
}

type Entry = readonly [name: string, state: string, sha256: string];

/** Opens the cache of a folder. It is empty if it cannot be read or has another version. */
export function openHashCache(cacheDir: string, root: string): HashCache {
  const path = join(cacheDir, 'hashes', `${cacheName([root])}.json`);
  const known = new Map(read(path).map((entry) => [entry[0], entry]));
  const used: Entry[] = [];
  let changed = false;
  return {
    find(name, state) {
      const entry = known.get(name);
      if (entry?.[1] !== state) return null;
      used.push(entry);
      return entry[2];
    },
    add(name, state, sha256) {
      used.push([name, state, sha256]);
      changed = true;
    },
    save() {
      if (changed || used.length !== known.size) writeCacheFile(path, { version: VERSION, entries: used });
    },
  };
}

function read(path: string): Entry[] {
  const file = readCacheFile(path) as { version?: unknown; entries?: unknown } | null;
  if (file?.version !== VERSION || !Array.isArray(file.entries)) return [];
  return file.entries.every(isEntry) ? file.entries : [];
}

function isEntry(entry: unknown): entry is Entry {
  return Array.isArray(entry) && entry.length === 3 && entry.every((part) => typeof part === 'string');
}
