import { hash, scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import { UPLOAD_SECONDS } from '@berth/contract';
import { CacheFiles, removeCacheFile } from '../folder/cache-files.ts';
import { type FolderFile, hashOfFiles } from '../folder/snapshot.ts';
import type { Publication } from './input.ts';
import { createIdempotencyKey, type ResumeState } from './resume-state.ts';

/** What a cache file has of an unfinished deploy. `began` is in Unix milliseconds. */
interface Unfinished {
  fingerprint: string;
  key: string;
  began: number;
}

const unfinishedDeploys = new CacheFiles<Unfinished>({
  version: 1,
  parse: ({ fingerprint, key, began }) =>
    typeof fingerprint === 'string' && typeof key === 'string' && typeof began === 'number'
      ? { fingerprint, key, began }
      : null,
  fieldsOf: (unfinished) => ({ ...unfinished }),
});

/** The cache file of an unfinished deploy, and the hash of the input that the deploy has. */
interface ResumeFile {
  path: string;
  fingerprint: string;
}

/** An unfinished deploy with a cache file, from which the next run with the same input resumes it. */
export class SavedResumeState implements ResumeState {
  readonly isPersistent = true;
  key: string;
  readonly #file: ResumeFile;

  /** Reuses the key of the last run if that run had the same input and the server still knows the key. */
  constructor(file: ResumeFile) {
    this.#file = file;
    this.key = findKey(file) ?? this.#begin();
  }

  renew(): void {
    this.key = this.#begin();
  }

  forget(): void {
    if (findKey(this.#file) === this.key) removeCacheFile(this.#file.path);
  }

  #begin(): string {
    const key = createIdempotencyKey();
    const { path, fingerprint } = this.#file;
    unfinishedDeploys.write(path, { fingerprint, key, began: Date.now() });
    return key;
  }
}

/** Hashes the input of a deploy. @param passwordHash The result of {@link hashPassword}. */
export function fingerprintOf(
  files: readonly FolderFile[],
  { labels, ttl, via }: Publication,
  passwordHash: string | null,
): string {
  return hash('sha256', JSON.stringify([hashOfFiles(files), labels, passwordHash, ttl, via]));
}

/**
 * Hashes a password, so that the cache can compare passwords without storing them. The hash is slow, to resist guessing.
 *
 * @returns 64 hex digits; `null` if there is no password.
 */
export async function hashPassword(password: string | null | undefined, salt: string): Promise<string | null> {
  if (typeof password !== 'string') return null;
  return ((await promisify(scrypt)(password, salt, 32)) as Buffer).toString('hex');
}

function findKey({ path, fingerprint }: ResumeFile): string | null {
  const unfinished = unfinishedDeploys.read(path);
  const isOpen = unfinished !== null && Date.now() - unfinished.began < UPLOAD_SECONDS * 1000;
  return isOpen && unfinished.fingerprint === fingerprint ? unfinished.key : null;
}
