import { hash, randomUUID, scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import { UPLOAD_SECONDS } from '@berth/contract';
import { readCacheFile, removeCacheFile, writeCacheFile } from '../folder/cache-files.ts';
import type { FolderFile } from '../folder/snapshot.ts';
import type { Publication } from './input.ts';

const VERSION = 1;

/** The cache file of a deploy, and what identifies its input. */
interface ResumeFile {
  path: string;
  fingerprint: string;
}

/** A deploy that has not ended. The next run with the same input resumes it, if there is a cache file. */
export class ResumeState {
  readonly #file: ResumeFile | null;
  #key: string;

  /**
   * Reuses the key of the last run if that run had the same input and the server still knows the key.
   *
   * @param file Where to remember the deploy. Default: it cannot be resumed after this program ends.
   */
  constructor(file: ResumeFile | null = null) {
    this.#file = file;
    this.#key = (file && findKey(file)) ?? this.#begin();
  }

  /** Whether a later run can resume it. */
  get isPersistent(): boolean {
    return this.#file !== null;
  }

  /** The idempotency key of the deploy. */
  get key(): string {
    return this.#key;
  }

  /** Replaces the key, because the server cannot continue with the old one. */
  renew(): void {
    this.#key = this.#begin();
  }

  /** Forgets the deploy, because it has ended. */
  forget(): void {
    if (this.#file && findKey(this.#file) === this.#key) removeCacheFile(this.#file.path);
  }

  #begin(): string {
    const key = randomUUID();
    if (this.#file) {
      const { path, fingerprint } = this.#file;
      writeCacheFile(path, { version: VERSION, fingerprint, key, began: Date.now() });
    }
    return key;
  }
}

/** Hashes the input of a deploy. @param password The hash of the password. */
export function fingerprintOf(
  files: readonly FolderFile[],
  { labels, ttl, via }: Publication,
  password: string | null,
): string {
  return hash('sha256', JSON.stringify([files.map(({ path, sha256 }) => [path, sha256]), labels, password, ttl, via]));
}

/**
 * Hashes a password, so that two passwords can be compared without storing them: equal passwords and salts give equal hashes.
 * The hash is slow, so that common passwords cannot be found by trying them.
 *
 * @returns 64 hex digits; `null` if there is no password.
 */
export async function hashPassword(password: string | null | undefined, salt: string): Promise<string | null> {
  if (typeof password !== 'string') return null;
  return ((await promisify(scrypt)(password, salt, 32)) as Buffer).toString('hex');
}

function findKey({ path, fingerprint }: ResumeFile): string | null {
  const file = readCacheFile(path) as Record<string, unknown> | null;
  if (file?.['version'] !== VERSION || file['fingerprint'] !== fingerprint) return null;
  const { key, began } = file;
  const isOpen = typeof began === 'number' && Date.now() - began < UPLOAD_SECONDS * 1000;
  return isOpen && typeof key === 'string' ? key : null;
}
