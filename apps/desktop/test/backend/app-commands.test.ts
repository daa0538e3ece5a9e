import { join } from 'node:path';
import { expect, test } from 'vitest';
import { AppState } from '../../src/shared/contract.ts';
import { makeSite, openDesktop } from './desktop.ts';

/** No program listens at this address. */
const server = 'http://localhost:9';
const openApp = () => openDesktop({ server });

test('readState returns the complete state, which contains no key (desktop §6)', async () => {
  const { ask } = await openApp();
  const state = await ask('readState', undefined);
  expect(AppState.strict().parse(state)).toMatchObject({
    publishings: [],
    folders: [],
    session: { current: server, servers: [{ origin: server, signIn: { is: 'signed-out' } }] },
    update: { is: 'none' },
    about: { version: '1.0.0' },
  });
});

test('openLink opens only https links and links to known servers, and refuses all other links (desktop §6)', async () => {
  const { ask, native } = await openApp();
  await ask('openLink', { url: 'https://calm-otter.sites.example/a?b#c' });
  await ask('openLink', { url: `${server}/claim/1` });
  const openedUrls = ['https://calm-otter.sites.example/a?b#c', `${server}/claim/1`];
  expect(native.opened).toEqual(openedUrls);
  for (const url of ['http://sites.example', 'file:///etc/passwd', 'berth://x', 'https://me:key@berth.example', 'a'])
    await expect(ask('openLink', { url })).rejects.toMatchObject({ kind: 'refused' });
  expect(native.opened).toEqual(openedUrls);
  native.broken.openExternal = new Error('no browser');
  await expect(ask('openLink', { url: server })).rejects.toThrow('Copy the link instead');
});

test('copy writes text to the clipboard, and reports an error if the clipboard fails', async () => {
  const { ask, native } = await openApp();
  await ask('copy', { text: 'https://calm-otter.sites.example' });
  expect(native.copied).toEqual(['https://calm-otter.sites.example']);
  native.broken.copyText = new Error('no clipboard');
  await expect(ask('copy', { text: 'a' })).rejects.toMatchObject({ kind: 'refused' });
});

test('pickFolder and pickFiles return grants for the items that the user picks, and no grant if the user cancels', async () => {
  const { ask, native } = await openApp();
  expect(await ask('pickFolder', undefined)).toBe(null);
  expect(await ask('pickFiles', undefined)).toEqual([]);
  const folder = makeSite({ 'a.txt': 'a', 'b.txt': 'b' }, 'blog');
  native.folder = folder;
  native.files = [join(folder, 'a.txt'), join(folder, 'b.txt')];
  expect(await ask('pickFolder', undefined)).toMatchObject({ name: 'blog', kind: 'folder' });
  expect(await ask('pickFiles', undefined)).toMatchObject([{ name: 'a.txt' }, { name: 'b.txt' }]);
  native.folder = join(folder, 'gone');
  native.files.push(join(folder, 'gone'));
  await expect(ask('pickFolder', undefined)).rejects.toMatchObject({ kind: 'folder' });
  await expect(ask('pickFiles', undefined)).rejects.toMatchObject({ kind: 'folder' });
});

test('restartToUpdate restarts the app only if an update is ready', async () => {
  const { ask, backend, native, emitted } = await openApp();
  await expect(ask('restartToUpdate', undefined)).rejects.toThrow('No update is ready');
  backend.setUpdate({ is: 'downloading', version: '1.1.0', percent: 40 });
  await expect(ask('restartToUpdate', undefined)).rejects.toThrow('No update is ready');
  backend.setUpdate({ is: 'ready', version: '1.1.0' });
  expect((await ask('readState', undefined)).update).toEqual({ is: 'ready', version: '1.1.0' });
  expect(emitted.filter(({ name }) => name === 'update')).toHaveLength(2);
  await ask('restartToUpdate', undefined);
  expect(native.restarts).toBe(1);
});

test('the status of the app is offline exactly while the machine has no network', async () => {
  const { backend } = await openApp();
  backend.setOnline(false);
  expect(backend.summary()).toMatchObject({ status: 'offline' });
  backend.setOnline(true);
  expect(backend.summary()).toMatchObject({ status: 'idle', text: 'Drop a folder to get a link.' });
});
