import { hash, randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SafeStorage } from 'electron';
import { z } from 'zod';
import type { Keychain } from '../native.ts';

/** What is used of the key store of the system: its asynchronous half. */
export type KeyStore = Pick<
  SafeStorage,
  'decryptStringAsync' | 'encryptStringAsync' | 'getSelectedStorageBackend' | 'isAsyncEncryptionAvailable'
>;

/** What is encrypted: a file that was moved to another server's place does not give its key away. */
const Entry = z.object({ origin: z.string(), key: z.string() });

/**
 * Opens the place where keys are kept: encrypted by the system, one file for each server, for their owner's eyes only. Where
 * the system has no way to protect them, they are kept in memory, and no file is written or read.
 *
 * @param folder Made when the first key is kept. Source: design of the desktop app, §2, §6; security T40.
 */
export async function openKeychain(store: KeyStore, folder: string, platform: string): Promise<Keychain> {
  return (await protects(store, platform)) ? onDisk(store, folder) : inMemory();
}

/** On Linux the system may have no key store; what is encrypted then, anybody can decrypt. */
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
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const fresh = join(folder, randomUUID());
    try {
      await writeFile(fresh, encrypted, { mode: 0o600 });
      await rename(fresh, fileOf(origin));
    } catch (error) {
      await rm(fresh, { force: true });
      throw error;
    }
  };

  return {
    kept: 'system',
    write,
    read: async (origin) => {
      try {
        const { result, shouldReEncrypt } = await store.decryptStringAsync(await readFile(fileOf(origin)));
        const entry = Entry.parse(JSON.parse(result));
        if (entry.origin !== origin) return null;
        // The system has a better key by now. The old one goes on to work, so this may fail.
        if (shouldReEncrypt) await write(origin, entry.key).catch(() => undefined);
        return entry.key;
      } catch {
        return null;
      }
    },
    remove: (origin) => rm(fileOf(origin), { force: true }),
  };
}
