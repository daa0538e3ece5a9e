import { join } from 'node:path';
import { cacheName, CacheFiles } from './cache-files.ts';

type Entry = readonly [name: string, state: string, sha256: string];

const hashFiles = new CacheFiles<ReadonlyMap<string, Entry>>({
  version: 1,
  parse: ({ entries }) => (Array.isArray(entries) && entries.every(isEntry) ? byName(entries) : null),
  fieldsOf: (known) => ({ entries: [...known.values()] }),
});

/** Remembers the hashes of the files of one folder. The cache is empty if its file cannot be read or has another version. */
export class HashCache {
  readonly #path: string;
  readonly #known: ReadonlyMap<string, Entry>;
  readonly #used: Entry[] = [];
  #changed = false;

  constructor(cacheDir: string, root: string) {
    this.#path = join(cacheDir, 'hashes', `${cacheName([root])}.json`);
    this.#known = hashFiles.read(this.#path) ?? new Map();
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
    if (this.#changed || this.#used.length !== this.#known.size) hashFiles.write(this.#path, byName(this.#used));
  }
}

function byName(entries: readonly Entry[]): ReadonlyMap<string, Entry> {
  return new Map(entries.map((entry) => [entry[0], entry]));
}

function isEntry(entry: unknown): entry is Entry {
  return Array.isArray(entry) && entry.length === 3 && entry.every((part) => typeof part === 'string');
}
