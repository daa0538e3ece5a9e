import { hash, randomUUID } from 'node:crypto';
import { UPLOAD_SECONDS } from '@berth/contract';
import { readCacheFile, removeCacheFile, writeCacheFile } from '../folder/cache-files.ts';
import type { FolderFile } from '../folder/snapshot.ts';
import type { Publication } from './input.ts';

const VERSION = 1;

/** A deploy that has not come to its end, which the next run goes on with when it asks for the same. */
export interface Unfinished {
  /** Whether a later run can resume it. */
  readonly isKept: boolean;
  /** The idempotency key of the deploy. */
  readonly key: string;
  /** Takes another key: the server does not go on under the old one. */
  renew(): void;
  /** It came to its end. */
  done(): void;
}

/** A deploy that nobody goes on with when this program ends. */
export function withoutMemory(): Unfinished {
  let key: string = randomUUID();
  return {
    isKept: false,
    get key() {
      return key;
    },
    renew() {
      key = randomUUID();
    },
    done() {},
  };
}

/**
 * A deploy that is remembered in a file of the cache. The key is that of the last run when it asked for the same, and the
 * server still knows of it.
 *
 * @param fingerprint What is asked for.
 */
export function openUnfinished(path: string, fingerprint: string): Unfinished {
  let key = findKey(path, fingerprint) ?? begin();

  function begin(): string {
    const fresh = randomUUID();
    writeCacheFile(path, { version: VERSION, fingerprint, key: fresh, began: Date.now() });
    return fresh;
  }

  return {
    isKept: true,
    get key() {
      return key;
    },
    renew() {
      key = begin();
    },
    done() {
      if (findKey(path, fingerprint) === key) removeCacheFile(path);
    },
  };
}

/** What a deploy asks for, as a hash. @param password The mark of the password. */
export function fingerprintOf(
  files: readonly FolderFile[],
  { labels, ttl, via }: Publication,
  password: string | null,
): string {
  return hash('sha256', JSON.stringify([files.map(({ path, sha256 }) => [path, sha256]), labels, password, ttl, via]));
}

function findKey(path: string, fingerprint: string): string | null {
  const file = readCacheFile(path) as Record<string, unknown> | null;
  if (file?.['version'] !== VERSION || file['fingerprint'] !== fingerprint) return null;
  const { key, began } = file;
  const isOpen = typeof began === 'number' && Date.now() - began < UPLOAD_SECONDS * 1000;
  return isOpen && typeof key === 'string' ? key : null;
}
