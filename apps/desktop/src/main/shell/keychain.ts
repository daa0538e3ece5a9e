import { hash } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { SafeStorage } from 'electron';
import { z } from 'zod';
import type { Keychain } from '../native.ts';
import { replaceFile } from '../storage/replace-file.ts';

/** The asynchronous part of Electron's `safeStorage`. */
export type KeyStore = Pick<
  SafeStorage,
  'decryptStringAsync' | 'encryptStringAsync' | 'getSelectedStorageBackend' | 'isAsyncEncryptionAvailable'
>;

/** The encrypted content. It includes the origin, so that a file renamed to another server's name does not reveal its key. */
const Entry = z.object({ origin: z.string(), key: z.string() });

/**
 * Opens the keychain. Keys are encrypted by the system, in one file for each server that only the user can read. If the system
 * cannot protect keys, they are kept in memory, and no file is read or written.
 *
 * @param folder Created when the first key is stored. Source: desktop §2, §6; security T40.
 */
export async function openKeychain(store: KeyStore, folder: string, platform: string): Promise<Keychain> {
  return (await protects(store, platform)) ? onDisk(store, folder) : inMemory();
}

/** False if the system cannot protect keys. Without a key store, Linux encrypts with a key that is known to everyone. */
async function protects(store: KeyStore, platform: string): Promise<boolean> {
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

function onDisk(store: KeyStore, folder: string): Keychain {
  const fileOf = (origin: string) => join(folder, `${hash('sha256', origin).slice(0, 32)}.key`);

  const write = async (origin: string, key: string) => {
    const encrypted = await store.encryptStringAsync(JSON.stringify({ origin, key }));
    await replaceFile(fileOf(origin), encrypted);
  };

  return {
    kept: 'system',
    write,
    read: async (origin) => {
      try {
        const { result, shouldReEncrypt } = await store.decryptStringAsync(await readFile(fileOf(origin)));
        const entry = Entry.parse(JSON.parse(result));
        if (entry.origin !== origin) return null;
        // The system has a newer encryption key. The old one still works, so a failure does not matter.
        if (shouldReEncrypt) await write(origin, entry.key).catch(() => undefined);
        return entry.key;
      } catch {
        return null;
      }
    },
    remove: (origin) => rm(fileOf(origin), { force: true }),
  };
}
