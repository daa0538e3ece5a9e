import { hash } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { replaceFileSync } from '../replace-file.ts';

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

/** Reads the fields of a cache file. Returns no fields if the file is missing or invalid, or has another format version. */
export function readCacheFile(path: string, version: number): Readonly<Record<string, unknown>> {
  try {
    const fields = Object(JSON.parse(readFileSync(path, 'utf8')));
    return fields.version === version ? fields : {};
  } catch {
    return {};
  }
}

/** Replaces a cache file atomically. Only its owner can read the file. Ignores errors, because the cache is optional. */
export function writeCacheFile(path: string, version: number, fields: Readonly<Record<string, unknown>>): void {
  try {
    replaceFileSync(path, JSON.stringify({ version, ...fields }));
  } catch {
    // If the file cannot be written, the next run computes the value again.
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
