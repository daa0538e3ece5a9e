import { copyFileSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { SystemKeychain } from '../../src/main/shell/keychain.ts';
import { makeHome } from '../harness/app/folders.ts';
import { FakeSafeStorage, type FakeKeyStore } from '../harness/fake-electron/desktop.ts';

const ORIGIN = 'https://sites.example';
const KEY = 'berth_0123456789';

function openTestKeychain(state: FakeKeyStore, platform = 'linux') {
  const folder = join(makeHome(), 'keys');
  const store = new FakeSafeStorage(state);
  return { folder, store, keychain: new SystemKeychain(store, folder, platform) };
}

/** The path of the only file of a folder. */
const onlyFile = (folder: string) => join(folder, readdirSync(folder)[0]!);

it('the keychain stores keys encrypted, in files that only their owner can read (T40)', async () => {
  const { folder, store, keychain } = openTestKeychain('good');
  expect(await keychain.kept()).toBe('system');
  await keychain.write(ORIGIN, KEY);
  await keychain.write('https://other.example', 'other');
  expect(readdirSync(folder)).toHaveLength(2);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  for (const name of readdirSync(folder)) {
    expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(folder, name), 'latin1')).not.toContain(KEY);
  }
  const reopenedKeychain = new SystemKeychain(store, folder, 'linux');
  expect(await reopenedKeychain.read(ORIGIN)).toBe(KEY);
  expect(await reopenedKeychain.read('https://other.example')).toBe('other');
  await reopenedKeychain.remove(ORIGIN);
  expect(await reopenedKeychain.read(ORIGIN)).toBeNull();
  expect(await reopenedKeychain.read('https://other.example')).toBe('other');
  await reopenedKeychain.remove(ORIGIN);
});

it.for([
  ['basic_text', 'linux'],
  ['unavailable', 'linux'],
  ['unavailable', 'darwin'],
  ['unavailable', 'win32'],
] as const)(
  'the keychain keeps keys only in memory, and reports this, if the key store is %s on %s (desktop §2)',
  async ([state, platform]) => {
    const { folder, store, keychain } = openTestKeychain(state, platform);
    expect(await keychain.kept()).toBe('memory');
    await keychain.write(ORIGIN, KEY);
    expect(await keychain.read(ORIGIN)).toBe(KEY);
    expect(existsSync(folder)).toBe(false);
    const reopenedKeychain = new SystemKeychain(store, folder, platform);
    expect(await reopenedKeychain.read(ORIGIN)).toBeNull();
    await keychain.remove(ORIGIN);
    expect(await keychain.read(ORIGIN)).toBeNull();
  },
);

it('the keychain does not check the kind of key store on macOS and Windows', async () => {
  const { keychain } = openTestKeychain('basic_text', 'darwin');
  expect(await keychain.kept()).toBe('system');
});

it.for([
  ['v11', 'system'],
  ['v12', 'system'],
  ['v10', 'memory'],
] as const)(
  'on Linux a trial encryption that begins with %s decides that keys are kept in the %s, whatever the desktop is called',
  async ([tag, kept]) => {
    const store = new FakeSafeStorage(kept === 'system' ? 'basic_text' : 'good');
    store.encryptStringAsync = async () => Buffer.from(`${tag}encrypted`);
    expect(await new SystemKeychain(store, makeHome(), 'linux').kept()).toBe(kept);
  },
);

it('the keychain asks a key store again that was not available at first', async () => {
  const { store, keychain } = openTestKeychain('unavailable');
  expect(await keychain.kept()).toBe('memory');
  store.state = 'good';
  expect(await keychain.kept()).toBe('system');
});

it('the keychain keeps keys in memory if the key store fails', async () => {
  const store = new FakeSafeStorage('good');
  store.isAsyncEncryptionAvailable = () => Promise.reject(new Error('There is no bus'));
  expect(await new SystemKeychain(store, makeHome(), 'linux').kept()).toBe('memory');
});

it('the keychain reports a locked key store instead of no key, and reads the key once the store is unlocked (B5)', async () => {
  const { store, keychain } = openTestKeychain('good');
  expect(await keychain.read(ORIGIN)).toBeNull();
  await keychain.write(ORIGIN, KEY);
  store.broken = true;
  await expect(keychain.read(ORIGIN)).rejects.toThrow('Error while decrypting');
  store.broken = false;
  expect(await keychain.read(ORIGIN)).toBe(KEY);
});

it('the keychain returns no key if the decrypted entry is not one of the app', async () => {
  const { folder, store, keychain } = openTestKeychain('good');
  await keychain.write(ORIGIN, KEY);
  writeFileSync(onlyFile(folder), await store.encryptStringAsync('not even JSON'));
  expect(await keychain.read(ORIGIN)).toBeNull();
});

it('the keychain does not return the key of another server whose file was renamed', async () => {
  const { folder, keychain } = openTestKeychain('good');
  await keychain.write('https://trap.example', 'trap');
  const trapFile = onlyFile(folder);
  await keychain.write(ORIGIN, KEY);
  const realFile = readdirSync(folder)
    .map((name) => join(folder, name))
    .find((path) => path !== trapFile)!;
  copyFileSync(realFile, trapFile);
  expect(await keychain.read('https://trap.example')).toBeNull();
  expect(await keychain.read(ORIGIN)).toBe(KEY);
});

it('the keychain reports an error if a key cannot be stored, and keeps the old key', async () => {
  const { folder, store, keychain } = openTestKeychain('good');
  await keychain.write(ORIGIN, KEY);
  store.broken = true;
  await expect(keychain.write(ORIGIN, 'next')).rejects.toThrow('locked');
  store.broken = false;
  expect(await keychain.read(ORIGIN)).toBe(KEY);
  expect(readdirSync(folder)).toHaveLength(1);
});

it('the keychain encrypts a key again if the system has a newer encryption key, and ignores a failure', async () => {
  const { folder, store, keychain } = openTestKeychain('good');
  await keychain.write(ORIGIN, KEY);
  const { ino } = statSync(onlyFile(folder));
  store.shouldReEncrypt = true;
  expect(await keychain.read(ORIGIN)).toBe(KEY);
  expect(statSync(onlyFile(folder)).ino).not.toBe(ino);
  expect(store.encryptions).toBe(3);
  store.encryptStringAsync = () => Promise.reject(new Error('Not now'));
  expect(await keychain.read(ORIGIN)).toBe(KEY);
});
