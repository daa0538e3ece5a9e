import { hash } from 'node:crypto';
import { join } from 'node:path';
import { cacheName, readCacheFile, writeCacheFile } from './cache-files.ts';
import type { FolderFile } from './snapshot.ts';

const VERSION = 2;

/** A folder, and where it is published with which credential. */
export interface PublishTarget {
  client: { server: URL; key: string | null; account: string | null };
  /** The folder: an absolute path with links resolved. */
  root: string;
  domain: string | null;
}

/** The last deployment of a folder. */
export interface LastDeployment {
  /** The id of the deployment. */
  deployment: string;
  /** The hash of its password; `null` if it has none. */
  password: string | null;
  /** Path to SHA-256. */
  files: ReadonlyMap<string, string>;
}

/**
 * Returns a short name for a target. It reveals nothing about the key, and is the same for all keys of an account if the
 * account is known.
 */
export function targetCacheName({ client: { server, key, account }, root, domain }: PublishTarget): string {
  if (account !== null) return cacheName([server.href, null, root, domain, account]);
  return cacheName([server.href, key === null ? null : hash('sha256', key), root, domain]);
}

/** Finds the last deployment from this machine to a target; `null` if unknown. */
export function findLastDeployment(cacheDir: string, target: PublishTarget): LastDeployment | null {
  const file = readCacheFile(pathOf(cacheDir, target)) as Record<string, unknown> | null;
  if (file?.['version'] !== VERSION || typeof file['deployment'] !== 'string' || !Array.isArray(file['files']))
    return null;
  const files: unknown[] = file['files'];
  const { deployment, password } = file;
  if (!files.every(isEntry) || (password !== null && typeof password !== 'string')) return null;
  return { deployment, password, files: new Map(files) };
}

/** Remembers the last deployment to a target. */
export function saveLastDeployment(
  cacheDir: string,
  target: PublishTarget,
  { deployment, password, files }: Omit<LastDeployment, 'files'> & { files: readonly FolderFile[] },
): void {
  const entries = files.map(({ path, sha256 }) => [path, sha256]);
  writeCacheFile(pathOf(cacheDir, target), { version: VERSION, deployment, password, files: entries });
}

function pathOf(cacheDir: string, target: PublishTarget): string {
  return join(cacheDir, 'published', `${targetCacheName(target)}.json`);
}

function isEntry(entry: unknown): entry is [path: string, sha256: string] {
  return Array.isArray(entry) && entry.length === 2 && entry.every((part) => typeof part === 'string');
}
