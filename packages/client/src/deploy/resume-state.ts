import { hash, randomUUID } from 'node:crypto';
import { UPLOAD_SECONDS } from '@berth/contract';
import { readCacheFile, removeCacheFile, writeCacheFile } from '../folder/cache-files.ts';
import type { FolderFile } from '../folder/snapshot.ts';
import type { Publication } from './input.ts';

const VERSION = 1;

/** A deploy that has not ended. The next run with the same input resumes it. */
export interface ResumeState {
  /** Whether a later run can resume it. */
  readonly isPersistent: boolean;
  /** The idempotency key of the deploy. */
  readonly key: string;
  /** Replaces the key, because the server cannot continue with the old one. */
  renew(): void;
  /** Forgets the deploy, because it has ended. */
  forget(): void;
}

/** Creates a deploy that cannot be resumed after this program ends. */
export function createTransientResumeState(): ResumeState {
  let key: string = randomUUID();
  return {
    isPersistent: false,
    get key() {
      return key;
    },
    renew() {
      key = randomUUID();
    },
    forget() {},
  };
}

/**
 * Opens a deploy that is remembered in a cache file. Reuses the key of the last run if that run had the same input and the
 * server still knows the key.
 *
 * @param fingerprint Identifies the input.
 */
export function openResumeState(path: string, fingerprint: string): ResumeState {
  let key = findKey(path, fingerprint) ?? begin();

  function begin(): string {
    const fresh = randomUUID();
    writeCacheFile(path, { version: VERSION, fingerprint, key: fresh, began: Date.now() });
    return fresh;
  }

  return {
    isPersistent: true,
    get key() {
      return key;
    },
    renew() {
      key = begin();
    },
    forget() {
      if (findKey(path, fingerprint) === key) removeCacheFile(path);
    },
  };
}

/** Hashes the input of a deploy. @param password The hash of the password. */
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
