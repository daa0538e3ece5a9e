import { hash } from 'node:crypto';
import { join } from 'node:path';
import { cacheName, CacheFiles } from './cache-files.ts';
import type { FolderFile } from './snapshot.ts';

/** A folder or HTML file, and the server, credential and domain with which it is published. */
export interface PublishTarget {
  client: { server: URL; key: string | null; account: string | null };
  /** The folder or HTML file: an absolute path with links resolved. */
  source: string;
  domain: string | null;
}

export interface LastDeployment {
  deployment: string;
  /** The hash of the password; `null` for a deployment without a password. */
  password: string | null;
  /** The SHA-256 of each file, by path. */
  files: ReadonlyMap<string, string>;
}

const lastDeployments = new CacheFiles<LastDeployment>({
  version: 2,
  parse({ deployment, password, files }) {
    if (typeof deployment !== 'string' || (password !== null && typeof password !== 'string')) return null;
    return Array.isArray(files) && files.every(isEntry) ? { deployment, password, files: new Map(files) } : null;
  },
  fieldsOf: ({ files, ...fields }) => ({ ...fields, files: [...files] }),
});

/** Returns a short name for a target, which does not reveal the key. All keys of a known account give the same name. */
export function targetCacheName({ client: { server, key, account }, source, domain }: PublishTarget): string {
  if (account !== null) return cacheName([server.href, null, source, domain, account]);
  return cacheName([server.href, key === null ? null : hash('sha256', key), source, domain]);
}

/** Finds the last deployment of a target in the cache of this machine; `null` if unknown. */
export function findLastDeployment(cacheDir: string, target: PublishTarget): LastDeployment | null {
  return lastDeployments.read(pathOf(cacheDir, target));
}

export function saveLastDeployment(
  cacheDir: string,
  target: PublishTarget,
  { deployment, password, files }: Omit<LastDeployment, 'files'> & { files: readonly FolderFile[] },
): void {
  const hashes = new Map(files.map(({ path, sha256 }) => [path, sha256]));
  lastDeployments.write(pathOf(cacheDir, target), { deployment, password, files: hashes });
}

function pathOf(cacheDir: string, target: PublishTarget): string {
  return join(cacheDir, 'published', `${targetCacheName(target)}.json`);
}

function isEntry(entry: unknown): entry is [path: string, sha256: string] {
  return Array.isArray(entry) && entry.length === 2 && entry.every((part) => typeof part === 'string');
}
