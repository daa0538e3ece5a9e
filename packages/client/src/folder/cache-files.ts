import { hash } from 'node:crypto';
import { readFileSync, rmSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { replaceFileSync } from '../replace-file.ts';
import { fileStateOf } from './file-state.ts';

/** Returns the default cache folder of this package: `berth` in the cache folder of the system. */
export function defaultCacheDir(env: NodeJS.ProcessEnv = process.env, platform: string = process.platform): string {
  if (platform === 'win32') return join(env['LOCALAPPDATA'] ?? join(homedir(), 'AppData', 'Local'), 'berth', 'Cache');
  if (platform === 'darwin') return join(homedir(), 'Library', 'Caches', 'berth');
  return join(env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'berth');
}

/** Hashes a list of values to a short file name, which does not reveal the values. */
export function cacheName(values: readonly (string | null)[]): string {
  return hash('sha256', JSON.stringify(values)).slice(0, 32);
}

/** What a cache file contains, and how it is written. */
interface CacheFormat<T> {
  /** Files of another version are not read. */
  version: number;
  /** Returns the value of the fields of a file; `null` if they are invalid. */
  parse(fields: Readonly<Record<string, unknown>>): T | null;
  /** Returns the fields that are written for a value. */
  fieldsOf(value: T): Readonly<Record<string, unknown>>;
}

/** Larger files are parsed each time, so that a program that runs for long does not keep their values. */
const MAX_KEPT_BYTES = 8 * 1024 ** 2;

/**
 * The cache files of one format. Keeps the value of the file that was read or written last, because a watch reads the same file again
 * and again. Values must not be changed.
 */
export class CacheFiles<T> {
  readonly #format: CacheFormat<T>;
  #kept: { path: string; state: string; value: T } | null = null;

  constructor(format: CacheFormat<T>) {
    this.#format = format;
  }

  /** Returns the value of a file; `null` if the file is missing or invalid, or has another version. */
  read(path: string): T | null {
    const state = stateOf(path);
    if (this.#kept?.path === path && this.#kept.state === state) return this.#kept.value;
    this.#kept = null;
    const value = this.#parse(path);
    if (state !== null && value !== null) this.#kept = { path, state, value };
    return value;
  }

  /** Replaces a file atomically. Only its owner can read the file. Ignores errors, because the cache is optional. */
  write(path: string, value: T): void {
    this.#kept = null;
    const { version, fieldsOf } = this.#format;
    try {
      replaceFileSync(path, JSON.stringify({ version, ...fieldsOf(value) }));
    } catch {
      // If the file cannot be written, the next run computes the value again.
      return;
    }
    const state = stateOf(path);
    if (state !== null) this.#kept = { path, state, value };
  }

  #parse(path: string): T | null {
    try {
      const fields = Object(JSON.parse(readFileSync(path, 'utf8')));
      return fields.version === this.#format.version ? this.#format.parse(fields) : null;
    } catch {
      return null;
    }
  }
}

/** Returns a text that changes when a file is replaced; `null` if its value must not be kept. */
function stateOf(path: string): string | null {
  try {
    const stats = statSync(path, { bigint: true });
    return stats.size > MAX_KEPT_BYTES ? null : fileStateOf(stats);
  } catch {
    return null;
  }
}

/** Removes a cache file, if it exists. Ignores errors. */
export function removeCacheFile(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // If the file cannot be removed, it does no harm.
  }
}
