import { hash } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { SafeStorage } from 'electron';
import { z } from 'zod';
import type { Keychain } from '../native.ts';
import { replaceFile } from '@berth/client/replace-file';

type KeyStore = Pick<
  SafeStorage,
  'decryptStringAsync' | 'encryptStringAsync' | 'getSelectedStorageBackend' | 'isAsyncEncryptionAvailable'
>;

/** The encrypted data of one file. It includes the origin, so that the key of a renamed file is not sent to another server. */
const Entry = z.object({ origin: z.string(), key: z.string() });

/** What Chromium puts before a text that it encrypted on Linux with a key from a key store. */
const PROTECTED_TAGS: ReadonlySet<string> = new Set(['v11', 'v12']);
/** What Chromium puts before a text that it encrypted on Linux with a key that is publicly known. */
const UNPROTECTED_TAG = 'v10';

/**
 * Keeps secrets. The system encrypts each of them, and the result is stored in a file that only the user can read. If the system
 * cannot protect secrets, they are kept in memory, and no file is written. The key store is first used when a secret is read or
 * written, because it may ask the user for a password.
 *
 * Source: desktop §2, §6; security T40.
 */
export class SystemKeychain implements Keychain {
  readonly #store: KeyStore;
  readonly #folder: string;
  readonly #platform: string;
  /** The secrets that cannot be stored safely. */
  readonly #memory = new Map<string, string>();
  #isProtected: Promise<boolean> | null = null;

  /** @param folder Created when the first secret is stored. */
  constructor(store: KeyStore, folder: string, platform: string) {
    this.#store = store;
    this.#folder = folder;
    this.#platform = platform;
  }

  async kept(): Promise<'system' | 'memory'> {
    return (await this.#canProtect()) ? 'system' : 'memory';
  }

  async read(origin: string): Promise<string | null> {
    const kept = this.#memory.get(origin);
    if (kept !== undefined) return kept;
    const encrypted = await readFile(this.#fileOf(origin)).catch(() => null);
    if (encrypted === null) return null;
    // Fails while the key store is locked or has not started. The file stays, so that a later call can read it.
    const { result, shouldReEncrypt } = await this.#store.decryptStringAsync(encrypted);
    const entry = readEntry(result);
    if (entry?.origin !== origin) return null;
    // The system has a newer encryption key. A failure does not matter, because the old key still works.
    if (shouldReEncrypt) await this.#writeFile(origin, entry.key).catch(() => undefined);
    return entry.key;
  }

  async write(origin: string, key: string): Promise<void> {
    if (await this.#canProtect()) {
      await this.#writeFile(origin, key);
      this.#memory.delete(origin);
    } else this.#memory.set(origin, key);
  }

  async remove(origin: string): Promise<void> {
    this.#memory.delete(origin);
    await rm(this.#fileOf(origin), { force: true });
  }

  /** Asks the key store once, and again after a failure: it may start later than the app. */
  #canProtect(): Promise<boolean> {
    this.#isProtected ??= canProtectKeys(this.#store, this.#platform).catch(() => false);
    const answer = this.#isProtected;
    void answer.then((isProtected) => {
      if (!isProtected && this.#isProtected === answer) this.#isProtected = null;
    });
    return answer;
  }

  #fileOf(origin: string): string {
    return join(this.#folder, `${hash('sha256', origin).slice(0, 32)}.key`);
  }

  async #writeFile(origin: string, key: string): Promise<void> {
    const encrypted = await this.#store.encryptStringAsync(JSON.stringify({ origin, key }));
    await replaceFile(this.#fileOf(origin), encrypted);
  }
}

/**
 * Returns false if the system cannot protect keys. Without a key store, Electron on Linux encrypts with a publicly known key. The
 * name of the store is only guessed from the name of the desktop, so the text of a trial encryption decides where it can.
 */
async function canProtectKeys(store: KeyStore, platform: string): Promise<boolean> {
  if (!(await store.isAsyncEncryptionAvailable())) return false;
  if (platform !== 'linux') return true;
  const tag = (await store.encryptStringAsync('berth')).subarray(0, 3).toString('latin1');
  if (PROTECTED_TAGS.has(tag)) return true;
  return tag !== UNPROTECTED_TAG && !['basic_text', 'unknown'].includes(store.getSelectedStorageBackend());
}

function readEntry(text: string): z.infer<typeof Entry> | null {
  try {
    return Entry.parse(JSON.parse(text));
  } catch {
    return null;
  }
}
