import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { startProxy } from '@berth/testing/proxy';
import { expect, it } from 'vitest';
import { folderCard, goTo, linkOn, untilStatus, watchFolder } from '../harness/app/cards.ts';
import { makeSite, rebuild, writeContents } from '../harness/app/folders.ts';
import { deploymentsOf, desktopSuite, stallUploads } from '../harness/app/suite.ts';

const { server, start } = desktopSuite();
const readPage = async (address: string, path = '/') => (await server().visit(address, path)).text;

it('after a build deletes and rewrites a watched folder, the same address serves the new files (desktop §8.9, §8.10, §8.15)', async () => {
  const { key } = await server().account();
  const desktop = await start({ key });
  const folder = makeSite('dist', { 'index.html': 'build 0', 'old.html': 'old' });
  const card = await watchFolder(desktop, folder, 'rebuilt');
  const address = await linkOn(card);
  expect(new URL(address).hostname).toBe('rebuilt.localhost');
  expect(await readPage(address)).toBe('build 0');

  rebuild(folder, { 'index.html': 'build 1', 'assets/new.js': 'let a' });
  await expect.poll(() => readPage(address)).toBe('build 1');
  await untilStatus(card, 'Up to date');
  expect(await linkOn(card)).toBe(address);
  expect(await readPage(address, '/assets/new.js')).toBe('let a');
  expect((await server().visit(address, '/old.html')).status).toBe(404);
  expect(await deploymentsOf(server(), key)).toHaveLength(2);
});

it('a deleted watched folder is shown as missing while its site stays online, and is published again after it is restored (desktop §8.10, §8.11)', async () => {
  const { key } = await server().account();
  const desktop = await start({ key });
  const folder = makeSite('gone', { 'index.html': 'before' });
  const card = await watchFolder(desktop, folder, 'gone-and-back');
  const address = await linkOn(card);
  rmSync(folder, { recursive: true });
  await untilStatus(card, 'Folder not found');
  await card.getByText('The live version is unchanged.').waitFor();
  expect(await readPage(address)).toBe('before');
  writeContents(folder, {});
  await untilStatus(card, 'Folder is empty');
  writeContents(folder, { 'style.css': 'half a build' });
  await untilStatus(card, 'Folder has no index.html');
  expect(await readPage(address)).toBe('before');
  expect(await deploymentsOf(server(), key)).toHaveLength(1);

  writeContents(folder, { 'index.html': 'after' });
  await untilStatus(card, 'Up to date');
  expect(await readPage(address)).toBe('after');
});

it('if the app quits during an upload, the change of the watched folder is published once after a restart (desktop §8.6)', async () => {
  const { key } = await server().account();
  const proxy = await startProxy(server().port);
  const desktop = await start({ key, server: proxy.url });
  const folder = makeSite('watched', { 'index.html': 'small' });
  const address = await linkOn(await watchFolder(desktop, folder, 'quit-in-the-middle'));
  const { stalled, resume } = stallUploads(proxy);
  writeContents(folder, { 'index.html': 'large', 'film.bin': randomBytes(3_000_000) });
  await stalled;
  await desktop.quit();
  resume();
  expect(await readPage(address)).toBe('small');

  await desktop.start();
  await goTo(desktop.page, 'Folders');
  await expect.poll(() => readPage(address)).toBe('large');
  await untilStatus(folderCard(desktop.page, 'watched'), 'Up to date');
  expect(await deploymentsOf(server(), key)).toHaveLength(2);
});
