import type { BigIntStats } from 'node:fs';
import { join } from 'node:path';
import { cacheName, readCacheFile, writeCacheFile } from './cache-files.ts';

const VERSION = 1;

type Entry = readonly [name: string, state: string, sha256: string];

/** Remembers the hashes of the files of one folder. The cache is empty if its file cannot be read or has another version. */
export class HashCache {
  readonly #path: string;
  readonly #known: ReadonlyMap<string, Entry>;
  readonly #used: Entry[] = [];
  #changed = false;

  constructor(cacheDir: string, root: string) {
    this.#path = join(cacheDir, 'hashes', `${cacheName([root])}.json`);
    this.#known = new Map(readEntries(this.#path).map((entry) => [entry[0], entry]));
  }

  /** Returns the SHA-256 of a file that has not changed since it was hashed; `null` for any other file. */
  find(name: string, state: string): string | null {
    const entry = this.#known.get(name);
    if (entry?.[1] !== state) return null;
    this.#used.push(entry);
    return entry[2];
  }

  /** Adds the hash of a settled file. */
  add(name: string, state: string, sha256: string): void {
    this.#used.push([name, state, sha256]);
    this.#changed = true;
  }

  /** Writes the entries that were found or added since the cache was opened, and drops all others. */
  save(): void {
    if (this.#changed || this.#used.length !== this.#known.size)
      writeCacheFile(this.#path, VERSION, { entries: this.#used });
  }
}

function readEntries(path: string): Entry[] {
  const { entries } = readCacheFile(path, VERSION);
  return Array.isArray(entries) && entries.every(isEntry) ? entries : [];
}

function isEntry(entry: unknown): entry is Entry {
  return Array.isArray(entry) && entry.length === 3 && entry.every((part) => typeof part === 'string');
}

/** The resolution of file times on Linux, with a reserve. */
const FINE_TICK_NS = 20_000_000n;
/** The resolution of file times on systems that store only whole seconds, such as FAT. */
const COARSE_TICK_NS = 2_000_000_000n;
const SECOND_NS = 1_000_000_000n;

/** Combines size, times and inode of a file. An equal state means that the bytes have not changed. */
export function fileStateOf({ size, mtimeNs, ctimeNs, ino }: BigIntStats): string {
  return `${size}.${mtimeNs}.${ctimeNs}.${ino}`;
}

/**
 * Returns true if any write after `nowMs` changes the times of the file. A file that was written just before may change within
 * the same tick of the clock, and keep its state. Git calls such index entries racy.
 *
 * @param nowMs When the state was read, in Unix milliseconds.
 */
export function isSettled({ mtimeNs, ctimeNs }: BigIntStats, nowMs: number): boolean {
  const latestNs = mtimeNs > ctimeNs ? mtimeNs : ctimeNs;
  const tickNs = latestNs % SECOND_NS === 0n ? COARSE_TICK_NS : FINE_TICK_NS;
  return latestNs + tickNs < BigInt(nowMs) * 1_000_000n;
}
