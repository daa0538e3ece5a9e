import { hash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import writeFileAtomic from 'write-file-atomic';

/** Returns the default cache folder of this package: `berth` in the cache folder of the system. */
export function defaultCacheDir(env: NodeJS.ProcessEnv = process.env, platform: string = process.platform): string {
  if (platform === 'win32') return join(env['LOCALAPPDATA'] ?? join(homedir(), 'AppData', 'Local'), 'berth', 'Cache');
  if (platform === 'darwin') return join(homedir(), 'Library', 'Caches', 'berth');
  return join(env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'berth');
}

/** Hashes a list of values to a short name. Equal lists give equal names, and a name reveals nothing about its values. */
export function cacheName(values: readonly (string | null)[]): string {
  return hash('sha256', JSON.stringify(values)).slice(0, 32);
}

/**
 * Reads a cache file.
 *
 * @returns `null` if it does not exist or is not JSON: the cache is optional.
 */
export function readCacheFile(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return null;
  }
}

/** Replaces a cache file atomically. Only its owner can read it. Write errors are ignored, because the cache is optional. */
export function writeCacheFile(path: string, value: unknown): void {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileAtomic.sync(path, JSON.stringify(value), { mode: 0o600, fsync: false });
  } catch {
    // The next run computes it again.
  }
}

/** Removes a cache file, if it exists. */
export function removeCacheFile(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // A left-over file does no harm.
  }
}
