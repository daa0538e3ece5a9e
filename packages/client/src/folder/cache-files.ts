import { hash, randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

/** The folder in which this package remembers things: `berth` in the system's folder for caches. */
export function defaultCacheDir(env: NodeJS.ProcessEnv = process.env, platform: string = process.platform): string {
  if (platform === 'win32') return join(env['LOCALAPPDATA'] ?? join(homedir(), 'AppData', 'Local'), 'berth', 'Cache');
  if (platform === 'darwin') return join(homedir(), 'Library', 'Caches', 'berth');
  return join(env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'berth');
}

/** A short name for a list of facts: equal for equal facts, and telling nothing of them. */
export function nameOf(facts: readonly (string | null)[]): string {
  return hash('sha256', JSON.stringify(facts)).slice(0, 32);
}

/**
 * Reads a file of the cache.
 *
 * @returns `null` when there is none, or it is not JSON: what is remembered is a help, never a need.
 */
export function readCacheFile(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return null;
  }
}

/**
 * Replaces a file of the cache, whole or not at all, for its owner's eyes only. A cache that cannot be written is gone
 * without.
 */
export function writeCacheFile(path: string, value: unknown): void {
  const fresh = `${path}.${randomUUID()}`;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(fresh, JSON.stringify(value), { mode: 0o600 });
    renameSync(fresh, path);
  } catch {
    removeCacheFile(fresh);
  }
}

/** Removes a file of the cache, if it is there. */
export function removeCacheFile(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // It is in the way of nobody.
  }
}
