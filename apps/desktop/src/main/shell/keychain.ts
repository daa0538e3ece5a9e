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

/**
 * Opens the keychain. The system encrypts each key, which is stored in a file that only the user can read. If the system cannot
 * protect keys, they are kept in memory, and no file is read or written.
 *
 * @param folder Created when the first key is stored. Source: desktop §2, §6; security T40.
 */
export async function openKeychain(store: KeyStore, folder: string, platform: string): Promise<Keychain> {
  return (await canProtectKeys(store, platform)) ? createDiskKeychain(store, folder) : inMemory();
}

/** False if the system cannot protect keys. Without a key store, Electron on Linux encrypts with a publicly known key. */
async function canProtectKeys(store: KeyStore, platform: string): Promise<boolean> {
  if (!(await store.isAsyncEncryptionAvailable().catch(() => false))) return false;
  return platform !== 'linux' || !['basic_text', 'unknown'].includes(store.getSelectedStorageBackend());
}

function inMemory(): Keychain {
  const keys = new Map<string, string>();
  return {
    kept: 'memory',
    read: async (origin) => keys.get(origin) ?? null,
    write: async (origin, key) => void keys.set(origin, key),
    remove: async (origin) => void keys.delete(origin),
  };
}

function createDiskKeychain(store: KeyStore, folder: string): Keychain {
  const fileOf = (origin: string) => join(folder, `${hash('sha256', origin).slice(0, 32)}.key`);

  const writeKey = async (origin: string, key: string) => {
    const encrypted = await store.encryptStringAsync(JSON.stringify({ origin, key }));
    await replaceFile(fileOf(origin), encrypted);
  };

  return {
    kept: 'system',
    write: writeKey,
    read: async (origin) => {
      try {
        const { result, shouldReEncrypt } = await store.decryptStringAsync(await readFile(fileOf(origin)));
        const entry = Entry.parse(JSON.parse(result));
        if (entry.origin !== origin) return null;
        // The system has a newer encryption key. A failure does not matter, because the old key still works.
        if (shouldReEncrypt) await writeKey(origin, entry.key).catch(() => undefined);
        return entry.key;
      } catch {
        return null;
      }
    },
    remove: (origin) => rm(fileOf(origin), { force: true }),
  };
}
